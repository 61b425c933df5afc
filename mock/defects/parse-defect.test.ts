import { describe, expect, test } from 'vitest';
import type { Contract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { parseDefect } from './defects.ts';

const contract: Contract = { catalogue, references, profile: DEFAULT_PROFILE };

const complaint = (text: string) => complaintOf(() => parseDefect(text, contract));

describe('what is written after --defect', () => {
  test.each([
    ['delete.does-nothing', SOURCE.totals.models - SOURCE.readOnly.length],
    ['delete.does-nothing:brand', 1],
    ['create.drops-field:warehouse', 2],
    ['create.drops-field:warehouse.name', 1],
    ['fields.missing:brand.name', 4],
    ['fields.missing:brand.name=list', 1],
    ['values.outside-accepted-on-create:locker.status="no-member"', 0],
    ['values.outside-accepted-on-create:locker.status=no-member', 1],
    ['values.outside-accepted-on-create:locker.status=-1', 1],
  ])('%s stands in %i places', (text, places) => {
    if (places === 0) expect(complaint(text)).toMatch(/the detail of --defect/);
    else expect(parseDefect(text, contract).places).toHaveLength(places);
  });

  test.each([
    ['delete.does-nothin', /^--defect is "delete\.does-nothin"; .* Did you mean delete\.does-nothing\?$/],
    ['', /^--defect is ""; expected one of operations\.missing, /],
    [
      'delete.does-nothing:brnd',
      /^the model of --defect delete\.does-nothing is "brnd"; .* Did you mean brand\?$/,
    ],
    ['delete.does-nothing:', /^the model of --defect delete\.does-nothing is ""; /],
    ['delete.does-nothing:subscriptionTask', /does not apply to subscriptionTask; expected one of /],
    ['create.drops-field:brand.nam', /is "nam"; expected name\. Did you mean name\?$/],
    ['create.drops-field:brand.id', /the field of --defect create\.drops-field is "id"; expected name/],
    [
      'delete.does-nothing:brand.name',
      /the field of --defect delete\.does-nothing is "name"; expected none$/,
    ],
    [
      'fields.missing:brand.name=delete',
      /the detail of --defect fields\.missing is "delete"; expected retrieve, /,
    ],
    ['delete.does-nothing:brand=x', /the detail of --defect delete\.does-nothing is "x"; expected none$/],
  ])('%j is refused with the way out', (text, reason) => {
    expect(complaint(text)).toMatch(reason);
  });

  test('applies to nothing where the profile has nothing of the kind', () => {
    const profile = { ...DEFAULT_PROFILE, 'list.paging': 'none' as const };
    expect(() => parseDefect('list.pages-overlap', { ...contract, profile })).toThrow(/applies to nothing/);
  });
});
