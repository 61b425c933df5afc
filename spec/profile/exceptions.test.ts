import { describe, expect, test } from 'vitest';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { changeProfile, createProfile, profileAt, under } from './profile.ts';

const catalogue = loadCatalogue();
const { complaint } = useProfileFile();

describe('an exception', () => {
  const profile = createProfile(
    {
      'types.bool': 'bool',
      'delete.effect': 'unknown',
      except: {
        customer: { status: { created: 200 }, 'delete.effect': 'mark-listed', 'types.date': 'midnight' },
        'customer.disabled': { 'types.bool': 'int' },
        'customer.birthdate': { 'types.date': 'iso' },
      },
    },
    catalogue,
  );

  test('of a model holds for the model and its fields', () => {
    expect(profileAt(profile, 'customer')).toMatchObject({
      'status.created': 200,
      'delete.effect': 'mark-listed',
    });
    expect(profileAt(profile, 'customer.name')['status.created']).toBe(200);
    expect(profileAt(profile, 'brand')).toBe(profile);
  });

  test('of a field precedes that of its model', () => {
    expect(profileAt(profile, 'customer.disabled')['types.bool']).toBe('int');
    expect(profileAt(profile, 'customer.isCompany')['types.bool']).toBe('bool');
    expect(profileAt(profile, 'customer.birthdate')['types.date']).toBe('iso');
  });

  test('is known, also if the setting is unknown elsewhere', () => {
    expect(profileAt(profile, 'customer').unknown).toEqual({});
    expect(profileAt(profile, 'brand').unknown).toHaveProperty('delete.effect');
  });

  test('does not hold for another model, also from the profile of the first', () => {
    expect(profileAt(profileAt(profile, 'customer'), 'brand')).toBe(profile);
  });

  test('ends when the setting is changed at all places', () => {
    expect(profileAt(under(profile, 'types.bool', 'bool'), 'customer.disabled')['types.bool']).toBe('bool');
    const changed = changeProfile(profile, { 'status.created': 202 }, catalogue);
    expect(profileAt(changed, 'customer')).toMatchObject({
      'status.created': 202,
      'delete.effect': 'mark-listed',
    });
  });
});

test.each([
  [
    '{ custmer: { status.created: 200 } }',
    'p.yaml:1: Unknown model "custmer" in except. Did you mean "customer"?',
  ],
  [
    '{ customer.disable: { types.bool: int } }',
    'Unknown field "customer.disable" in except. Did you mean "customer.disabled"?',
  ],
  ['{ customer: { status.created: 204 } }', "status.created can't be 204 because that status has no body"],
  ['{ customer: { status.created: unknown } }', "status.created can't be unknown in except. Remove it."],
  [
    '{ customer: { auth: bearer } }',
    "auth can't be in except because it concerns the whole service. Remove it.",
  ],
  [
    '{ customer.disabled: { status.created: 200 } }',
    "status.created can't differ for a field. Name the model customer instead of customer.disabled.",
  ],
  [
    '{ customer.disabled: { types.date: iso } }',
    "types.date can't differ for customer.disabled because its type is bool. Remove it.",
  ],
  ['{ customer: { except: { brand: {} } } }', "except can't be nested. Remove it."],
])('except: %s is refused', (except, message) => {
  expect(complaint(`except: ${except}`)).toContain(message);
});
