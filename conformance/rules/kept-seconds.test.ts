import { expect, test } from 'vitest';
import { against } from '../../testing/checks.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { readOptions } from '../../testing/services/plain/options.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

const RULES = ['create', 'update', 'advice.edge-kept'];

/** Stores the fields without their seconds, on create, update, or both. */
function losing(fields: readonly string[], on: readonly string[]): Defect {
  return {
    name: 'loses-seconds',
    rules: [],
    models: [],
    values: (values, at) => {
      const changed = Object.entries(values).map(([name, value]) => {
        const isOne = fields.includes(`${at.model.name}.${name}`) && on.includes(at.on);
        return [
          name,
          isOne && typeof value === 'string' ? value.replace(/:\d\d(\.\d+)?(Z?)$/, ':00$2') : value,
        ];
      });
      return Object.fromEntries(changed);
    },
  };
}

async function results(models: readonly string[], defect: Defect, words: readonly string[] = []) {
  const service = closing(await startPlain({ defect, dialect: readOptions(words) }));
  return learnAndCheck(service.url, { models, rules: RULES });
}

test.each([
  ['create', 'create.keeps-field', 'voucher.startTime'],
  ['update', 'update.changes-field', 'voucher.endTime'],
  ['create', 'create.keeps-field', 'customerToTag.start'],
  ['update', 'update.changes-field', 'customerToTag.end'],
])('seconds that a %s drops fail %s:%s, since other values have seconds', async (on, rule, field) => {
  const [model = ''] = field.split('.');
  const failed = against(await results([model], losing([field], [on]))).map(({ id }) => id);
  expect(failed).toEqual([`${rule}:${field}`]);
});

const TIMES = ['voucher.startTime', 'voucher.endTime', 'voucherType.startTime', 'voucherType.endTime'];

test.each([['voucher'], ['voucherType']])(
  'a service whose times all end with :00 gets advice only: %s',
  async (model) => {
    const found = await results([model], losing(TIMES, ['create', 'update']));
    expect(against(found)).toEqual([]);
    const advice = found.cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    expect(advice).toEqual(expect.arrayContaining([`advice.edge-kept:${model}.startTime`]));
  },
);

test('a service whose times have minutes only uses another setting', async () => {
  const found = await results(['voucher'], losing([], []), ['time=minutes']);
  expect(against(found)).toEqual([]);
});
