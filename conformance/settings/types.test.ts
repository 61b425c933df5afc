import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Field } from '../../spec/catalogue/field.ts';
import { DEFAULT_PROFILE, typeOptions, typeSetting, under } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { catalogue } from '../../testing/checks.ts';
import type { ApiResponse } from '../api/answer.ts';
import { judgeForms, type SeenValue, TYPE_SETTINGS } from './types.ts';

const exchange = {
  request: { method: 'GET', url: 'http://service/api/model/brand', headers: {} },
  response: { status: 200, headers: {}, body: '' },
};
const seen: ApiResponse = { ...exchange.response, asked: 'GET /api/model/brand', json: undefined, exchange };
const fields = [...catalogue.models.values()].flatMap((model) => model.fields);
const valuesOf = (field: Field, wires: readonly Value[]): SeenValue[] =>
  wires.map((wire) => ({ field, wire, seen }));

const cases = TYPE_SETTINGS.flatMap((setting) => typeOptions(setting).map((option) => ({ setting, option })));

it.each(cases.filter(({ setting }) => setting !== 'types.lines'))(
  'the option of $setting is recognized from values: $option',
  ({ setting, option }) => {
    const own = fields.filter(
      (field) => typeSetting(field) === setting && typeof field.choices?.[0]?.value !== 'string',
    );
    const field = own.find(({ choices }) => choices) ?? own[0];
    if (!field) throw new Error(`no field has the type of ${setting}`);
    const profile = under(DEFAULT_PROFILE, { [setting]: option });
    const samples = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(samples, (numbers) => {
        const canonical = numbers.map((number) =>
          WIRE_TYPES[field.type].sample(number * 4 + 1, { field, profile }),
        );
        const wires = canonical.map((value) => WIRE_TYPES[field.type].encode(value, { field, profile }));
        const finding = judgeForms(setting, valuesOf(field, wires), DEFAULT_PROFILE);
        // Cents look like whole amounts, and are never taken for anything else.
        if (option === 'minor') return finding.kind === 'unknown';
        // Days from Monday to Saturday look alike from 1 to 7 and from 0 to 6; a Sunday tells.
        const isSunday = (day: Value) => day === 7;
        const tells = canonical.some((days) => Array.isArray(days) && days.some(isSunday));
        if (setting === 'types.daysOfWeek' && option !== 'mask' && !tells) return finding.kind === 'unknown';
        return finding.kind === 'found' && finding.value === option;
      }),
      { seed: 11, numRuns: 15 },
    );
  },
);

const amount = fields.find(({ type }) => type === 'currency') as Field;
const halves = Array.from({ length: 20 }, (_, index) => index + 0.5);
const ALIKE = 'are the same under number and minor';

it.each<[string, Value[], object]>([
  ['unknown if no value was seen', [], { reason: 'no response contains a value of this type' }],
  ['unknown if values match several options', [1250, 3], { reason: expect.stringContaining(ALIKE) }],
  ['unknown if values match no option', ['12,50 €'], { reason: expect.stringContaining('12,50 €') }],
  [
    'found despite a single deviating value among many',
    [...halves, 'free'],
    { kind: 'found', value: 'number' },
  ],
])('the form of an amount is %s', (_, wires, finding) => {
  expect(judgeForms('types.currency', valuesOf(amount, wires), DEFAULT_PROFILE)).toMatchObject(finding);
});
