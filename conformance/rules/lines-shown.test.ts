import { expect, test } from 'vitest';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

type Line = Readonly<Record<string, unknown>>;

/** A change to the lines that a service shows in their parent, and the case that fails. */
const SHOWN: Readonly<Record<string, readonly [(line: Line) => Line, string]>> = {
  'the IDs of no lines': [(line) => ({ ...line, id: Number(line.id) + 1e6 }), 'fields.id:stockOrder.id'],
  'no parent': [(line) => ({ ...line, stockOrder: null }), 'required.present:stockOrder.lines'],
};

test.each(Object.entries(SHOWN))('a service that shows %s in lines fails', async (name, [change, id]) => {
  const defect = {
    name,
    rules: [],
    models: ['stockOrder'],
    shown: (row: Record<string, unknown>) =>
      Array.isArray(row.lines) ? { ...row, lines: row.lines.map(change) } : row,
  };
  const service = closing(await startPlain({ defect }));
  const { cases } = await learnAndCheck(service.url, { models: ['stockOrder', 'stockOrderLine'] });
  expect(cases.filter(({ outcome }) => outcome === 'fail').map((one) => one.id)).toContain(id);
});
