import { expect, test } from 'vitest';
import { ALL, onEngine, showing } from '../../mock/defects/on-engine.ts';
import { against, catalogue, check } from '../../testing/checks.ts';
import { type ServiceOptions, useService } from '../../testing/mock-service.ts';

const { start } = useService();

async function failing(options: ServiceOptions, model: string, rules: readonly string[]): Promise<string[]> {
  const { url } = await start(undefined, options);
  return against(await check(url, { models: [model], rules })).map(({ id }) => id);
}

test.each([
  ['lines.drops-part:stockOrder.lines=discount', 'create.keeps-field:stockOrder.lines'],
  ['create.keeps-first-item:stockOrder.lines', 'create.keeps-field:stockOrder.lines'],
  ['lines.part-not-asked-for:stockOrder.lines=product', 'required.on-create:stockOrder.lines=product'],
  ['lines.null-on-update:stockOrder.lines=amount', 'required.on-update:stockOrder.lines=amount'],
  ['lines.readonly-stored-on-create:stockOrder.lines=total', 'readonly.on-create:stockOrder.lines=total'],
  ['fields.same-id-in-line:stockOrder.lines=retrieve', 'fields.id:stockOrder.id'],
  // Values that are easily taken for none.
  ['update.ignores-value:supplier.main=false', 'update.changes-field:supplier.main'],
  ['update.ignores-value:voucherPrice.amount=0', 'update.changes-field:voucherPrice.amount'],
])('the run sees %s', async (defect, id) => {
  const [, rule = '', model = ''] = /^(.*):([^.]*)/.exec(id) ?? [];
  expect(await failing({ defect }, model, [rule])).toEqual([id]);
});

test('the order of lines is judged', async () => {
  const model = catalogue.models.get('stockOrder');
  if (!model) throw new Error('there is no such model');
  const decoration = onEngine(model, (inner) =>
    showing(inner, ALL, (record) => ({
      ...record,
      lines: Array.isArray(record.lines) ? record.lines.toReversed() : [],
    })),
  );
  expect(await failing({ decoration }, 'stockOrder', ['create', 'update'])).toEqual([
    'create.keeps-field:stockOrder.lines',
    'update.changes-field:stockOrder.lines',
  ]);
});
