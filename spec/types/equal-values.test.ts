import { describe, expect, test } from 'vitest';
import { catalogue, fieldsOf, read, send } from '../../testing/types/wire-context.ts';
import type { Field } from '../catalogue/field.ts';
import { createProfile } from '../profile/profile.ts';
import type { Context } from './wire-type.ts';

describe('equal values in other forms', () => {
  const field = fieldsOf('datetime')[0] as Field;
  const iso: Context = { field, profile: createProfile({}, catalogue) };
  const space: Context = { field, profile: createProfile({ 'types.datetime': 'space' }, catalogue) };

  test('are one datetime', () => {
    const point = '2025-10-22T09:30:00Z';
    for (const wire of [point, '2025-10-22T11:30:00+02:00', '2025-10-22T09:30:00.000Z'])
      expect(read(wire, iso)).toBe(point);
    expect(read('2025-10-22 09:30:00', space)).toBe(point);
    expect(send('2025-10-22T09:30:00.123Z', space)).toBe('2025-10-22 09:30:00');
  });

  test.each(['2025-02-30 09:30:00', '2025-13-01 09:30:00', '2025-01-01 24:00:00', '2025-01-01 29:00:00'])(
    'are none for %s, which is no point in time',
    (wire) => {
      expect(() => read(wire, space)).toThrow(TypeError);
    },
  );

  test('are one set of days and one set of links', () => {
    const [days, links] = [fieldsOf('daysOfWeek')[0], fieldsOf('manyToMany')[0]] as [Field, Field];
    expect(read([7, 1, 3], { ...iso, field: days })).toEqual([1, 3, 7]);
    expect(read([20, 3, 100], { ...iso, field: links })).toEqual([3, 20, 100]);
    const objects = createProfile({ 'types.manyToMany': 'objects' }, catalogue);
    expect(
      read([{ id: 2, name: 'b' }, { id: 2, name: 'c' }, { id: 1 }], { field: links, profile: objects }),
    ).toEqual([1, 2]);
  });

  test('are one member of a list, as a number or as a text', () => {
    const withList = { ...fieldsOf('select')[1], key: 'thing.part' } as Field;
    expect(read('2', { ...iso, field: withList })).toBe(2);
    expect(read({ value: 2, name: 'another' }, { ...iso, field: withList })).toBe(2);
  });
});
