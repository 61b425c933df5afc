import { describe, expect, test } from 'vitest';
import { changes, useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { changeProfile, DEFAULT_PROFILE, SETTINGS, whyFormless, whyUnknown } from './profile.ts';

const catalogue = loadCatalogue();
const { complaint, load } = useProfileFile();

describe('a setting that nobody found out', () => {
  test.each(SETTINGS.map(({ name }) => [name]))('%s may be unknown: its default is supposed', (name) => {
    const profile = load(`${name}: unknown`);
    expect(profile[name]).toEqual(DEFAULT_PROFILE[name]);
    expect(profile.unknown).toEqual({ [name]: { why: 'is unknown in p.yaml', fits: false } });
    expect(whyUnknown(profile, name)).toBe(
      `${name} is unknown in p.yaml; you can set it in the --profile file`,
    );
    expect(whyUnknown(DEFAULT_PROFILE, name)).toBeUndefined();
  });

  test('may have a value that fits', () => {
    const profile = load('types: { date: { unknown: iso }, time: { unknown: minutes } }');
    expect(changes(profile)).toEqual({ 'types.time': 'minutes' });
    expect(profile.unknown['types.time']).toEqual({ why: 'is unknown in p.yaml', fits: true });
    expect(load('values: { unknown: { customer.language: [es] } }').values).toEqual({
      'customer.language': ['es'],
    });
  });

  test.each([
    [
      'types.time: { unknown: hours }',
      'p.yaml:1: Unknown value "hours" for types.time. Use "seconds" or "minutes".',
    ],
    ['types.time: { unknown: minutes, x: 1 }', 'p.yaml:1: unknown must be the only key here. Remove x.'],
    ['types.time: unkown', 'Unknown value "unkown" for types.time. Use "seconds" or "minutes".'],
  ])('is refused as %s', (text, expected) => {
    expect(complaint(text)).toContain(expected);
  });

  test('stays unknown when others change, until it is answered', () => {
    const profile = load('errors.form: unknown');
    const changed = changeProfile(profile, { 'types.time': 'minutes' }, catalogue);
    expect(changed.unknown).toEqual(profile.unknown);
    expect(changeProfile(changed, { 'errors.form': 'simple' }, catalogue).unknown).toEqual({});
  });

  test('leaves values without a form where it is that of a type', () => {
    const field = catalogue.models.get('lockerCustomer')?.fields.find(({ type }) => type === 'date');
    if (!field) throw new Error('there is no date');
    const why = (text: string) => whyFormless(field, { profile: load(text) });
    expect(why('types.date: unknown')).toBe(
      'types.date is unknown in p.yaml; you can set it in the --profile file',
    );
    expect(why('types.date: { unknown: iso }')).toBeUndefined();
    expect(why('types.lines: unknown')).toBeUndefined();
  });
});
