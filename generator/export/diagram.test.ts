import { expect, it } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { exportContract } from './export.ts';

const contract = loadContract();
const areas = (...names: string[]) => ({ selection: { areas: names } });

it('draws each model once, in SVG and for Mermaid, the same bytes each time', async () => {
  const svg = await exportContract('diagram', contract);
  expect(await exportContract('diagram', contract)).toBe(svg);
  const mermaid = await exportContract('diagram', contract, { diagram: 'mermaid' });
  const { areas: listed, models } = contract.catalogue;
  for (const name of models.keys()) {
    expect(mermaid.match(new RegExp(`^  ${name} \\{$`, 'gm'))).toHaveLength(1);
    expect(svg.split(`<title>${name}</title>`)).toHaveLength(2);
  }
  expect(svg.match(/class="cluster"/g)).toHaveLength(listed.length);
});

it('tells what is stated from what is inferred', async () => {
  const mermaid = await exportContract('diagram', contract, { ...areas('stock'), diagram: 'mermaid' });
  expect(mermaid).toContain('  stockOrder ||--o{ stockOrderLine : "lines"\n');
  expect(mermaid).toContain('  stockOrderLine }o..o| stockOrder : "stockOrder (inferred)"\n');
  expect(mermaid).toContain('    int id PK "ro"\n');
  expect(mermaid).toContain('    StockOrderLine[] lines');
  expect(mermaid).not.toContain('voucher');
  const svg = await exportContract('diagram', contract, areas('stock'));
  expect(svg).toContain('stockOrder.lines (stated)');
  expect(svg).toContain('stockOrderLine.stockOrder (inferred)');
  const dashed = svg.match(/stroke-dasharray/g) ?? [];
  expect(dashed).toHaveLength([...mermaid.matchAll(/\(inferred\)/g)].length);
});
