import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RULES } from '../../conformance/plan/plan.ts';
import { SOURCE } from '../source-facts.ts';
import { DEFECTS } from './defects/defects.ts';
import { FOREIGN_SERVICES } from './services.ts';
import { MODELS } from './source/source.ts';

test('the services import no code of the package', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  );
  const outside = files.flatMap((path) => {
    const depth = path.split('/').length;
    const code = readFileSync(join(import.meta.dirname, path), 'utf8');
    return [...code.matchAll(/from '([^']+)'/g)]
      .map(([, from = '']) => from)
      .filter((from) => from.startsWith('../'.repeat(depth)))
      .map((from) => `${path} imports ${from}`);
  });
  expect(files.length).toBeGreaterThan(15);
  expect(outside).toEqual([]);
});

test('the services read the source completely', () => {
  const fields = [...MODELS.values()].flatMap((model) => model.fields);
  expect([MODELS.size, fields.length]).toEqual([SOURCE.totals.models, SOURCE.totals.fields]);
  expect(fields.filter(({ values }) => values).length).toBe(SOURCE.totals.valueLists);
});

test('defects of the services have unique names and existing rules, and each service has at least 60', () => {
  const known = new Set(RULES.map(({ id }) => id));
  expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
  const unknown = DEFECTS.filter(({ rules }) => !rules.some((id) => known.has(id)));
  expect(unknown.map(({ name }) => name)).toEqual([]);
  for (const { defects } of FOREIGN_SERVICES) expect(defects.length).toBeGreaterThanOrEqual(60);
});
