import { expect, test } from 'vitest';
import type { Contract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { parseDefect } from './defects.ts';

const contract: Contract = { catalogue, references, profile: DEFAULT_PROFILE };

const complaint = (text: string) => complaintOf(() => parseDefect(text, contract));

test.each([
  ['delete.does-nothing', SOURCE.totals.models - SOURCE.readOnly.length],
  ['delete.does-nothing:brand', 1],
  ['create.drops-field:warehouse.name', 1],
  ['fields.missing:brand.name=list', 1],
  ['values.outside-accepted-on-create:locker.status="no-member"', 0],
  ['values.outside-accepted-on-create:locker.status=-1', 1],
])('what is written after --defect %s stands in %i places', (text, places) => {
  if (places === 0)
    expect(complaint(text)).toMatch(
      /Unknown detail "\\"no-member\\"" in --defect values\.outside-accepted-on-create\. Did you mean "no-member"\?$/,
    );
  else expect(parseDefect(text, contract).places).toHaveLength(places);
});

test.each([
  [
    'delete.does-nothin',
    /^Unknown defect "delete\.does-nothin" in --defect\. Did you mean "delete\.does-nothing"\? To list the defects, run: record-model mock --list-defects$/,
  ],
  [
    '',
    /^Unknown defect "" in --defect\. Use one of \d+ names, such as "list\.empty", "fields\.null", "fields\.missing", "list\.pages-skip", or "create\.reuses-id"\./,
  ],
  [
    'delete.does-nothing:brnd',
    /^Unknown model "brnd" in --defect delete\.does-nothing\. Did you mean "brand"\?$/,
  ],
  [
    'delete.does-nothing:subscriptionTask',
    /--defect delete\.does-nothing does not apply to subscriptionTask\. Use a model such as accessControlLog, bookingDrawItem, consumerHomeItem, crmContact, or customerGroupItem\./,
  ],
  [
    'create.drops-field:brand.nam',
    /Unknown field "nam" in --defect create\.drops-field\. Did you mean "name"\?$/,
  ],
  ['delete.does-nothing:brand.name', /--defect delete\.does-nothing has no field here\. Remove "name"\.$/],
  [
    'fields.missing:brand.name=delete',
    /Unknown detail "delete" in --defect fields\.missing\. Use "retrieve", "list", "create", or "update"\./,
  ],
])('what is written after --defect %j is refused with the way out', (text, reason) => {
  expect(complaint(text)).toMatch(reason);
});

test('what is written after --defect applies to nothing where the profile has nothing of the kind', () => {
  const profile = { ...DEFAULT_PROFILE, 'list.paging': 'none' as const };
  expect(() => parseDefect('list.pages-overlap', { ...contract, profile })).toThrow(
    /--defect list\.pages-overlap has no effect with this catalogue and profile\. Use another defect, model, or profile\./,
  );
});
