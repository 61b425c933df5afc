import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import type { Field } from '../catalogue/field.ts';
import { DEFAULT_PROFILE } from '../profile/profile.ts';
import { datetime } from './datetime.ts';

const field = loadCatalogue()
  .models.get('customerToTag')
  ?.fields.find(({ name }) => name === 'start') as Field;
const context = { field, profile: DEFAULT_PROFILE };
const read = (wire: string) => datetime.decode(wire, context);

describe('a point in time', () => {
  test.each(['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:60Z'])(
    'is none as %s, which is in no year of four digits in UTC',
    (wire) => {
      expect(() => read(wire)).toThrow(TypeError);
    },
  );

  test.each([
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00Z'],
    ['2016-12-31T23:59:60.25Z', '2017-01-01T00:00:00.250Z'],
    ['2016-12-31t23:59:60z', '2017-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
  ])('%s is %s', (wire, point) => {
    expect(read(wire)).toBe(point);
  });

  test('is compared as one', () => {
    const dates = fc.date({ min: new Date(0), max: new Date(5000), noInvalidDate: true });
    const order = (one: Date, other: Date) => Math.sign(one.getTime() - other.getTime());
    fc.assert(
      fc.property(dates, dates, (one, other) => {
        const [first, second] = [one, other].map((date) => read(date.toISOString()));
        expect(datetime.compare?.(first ?? null, second ?? null)).toBe(order(one, other));
      }),
      { seed: 20251022 },
    );
  });
});
