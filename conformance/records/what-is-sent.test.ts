import { afterEach, describe, expect, test } from 'vitest';
import type { Decoration } from '../../mock/decoration.ts';
import { decorateWith, parseDefect } from '../../mock/defects/defects.ts';
import { ALL, onEngine, showing } from '../../mock/defects/on-engine.ts';
import { listen } from '../../mock/http/server.ts';
import { createMock } from '../../mock/mock.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { against, catalogue, check, references } from '../../testing/checks.ts';
import { demo } from '../../testing/demo.ts';

const plan = { catalogue, references, profile: DEFAULT_PROFILE };
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function failing(
  decoration: Decoration,
  model = 'stockOrder',
  rules?: readonly string[],
): Promise<string[]> {
  const mock = await createMock({ ...plan, fixtures: demo });
  const server = await listen(await mock.fork(decoration), { port: 0, host: '127.0.0.1' });
  open.push(server);
  return against(await check(server.url, { models: [model], ...(rules ? { rules } : {}) })).map(
    ({ id }) => id,
  );
}

/** The cases of the rule of a case that fail where there is a defect. */
function failingWith(defect: string, id: string): Promise<string[]> {
  const [, rule = '', model = ''] = /^(.*):([^.]*)/.exec(id) ?? [];
  return failing(decorateWith(parseDefect(defect, plan), plan), model, [rule]);
}

describe('what lies inside lines', () => {
  test.each([
    ['lines.drops-part:stockOrder.lines=discount', 'create.keeps-field:stockOrder.lines'],
    ['create.keeps-first-item:stockOrder.lines', 'create.keeps-field:stockOrder.lines'],
    ['lines.part-not-asked-for:stockOrder.lines=product', 'required.on-create:stockOrder.lines=product'],
    ['lines.null-on-update:stockOrder.lines=amount', 'required.on-update:stockOrder.lines=amount'],
    ['lines.readonly-stored-on-create:stockOrder.lines=total', 'readonly.on-create:stockOrder.lines=total'],
    [
      'lines.takes-wrong-type-on-create:stockOrder.lines=amount',
      'fields.wrong-type-on-create:stockOrder.lines=amount',
    ],
    ['fields.same-id-in-line:stockOrder.lines=retrieve', 'fields.id:stockOrder.id'],
  ])('is looked at: %s', async (defect, id) => {
    expect(await failingWith(defect, id)).toEqual([id]);
  });

  test('keeps its order', async () => {
    const model = catalogue.models.get('stockOrder');
    if (!model) throw new Error('there is no such model');
    const turned = onEngine(model, (inner) =>
      showing(inner, ALL, (record) => ({
        ...record,
        lines: Array.isArray(record.lines) ? record.lines.toReversed() : [],
      })),
    );
    expect(await failing(turned)).toEqual([
      'create.keeps-field:stockOrder.lines',
      'update.changes-field:stockOrder.lines',
    ]);
  });
});

test.each([
  ['update.ignores-value:supplier.main=false', 'update.changes-field:supplier.main'],
  ['update.ignores-value:supplier.main=true', 'update.changes-field:supplier.main'],
  ['update.ignores-value:voucherPrice.amount=0', 'update.changes-field:voucherPrice.amount'],
])('an update to a value that is easily taken for none is looked at: %s', async (defect, id) => {
  expect(await failingWith(defect, id)).toEqual([id]);
});
