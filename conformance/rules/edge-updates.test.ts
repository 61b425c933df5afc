import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { type Defect, without } from '../../testing/services/defects/defect.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { learnTerms, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

/** Checks a service in which an update with null, or an empty list, has another effect on a field. */
async function failures(key: string, effect: object, isEmpty: (value: unknown) => boolean) {
  const [model = '', field = ''] = key.split('.');
  const defect: Defect = {
    name: 'update to nothing',
    rules: [],
    models: [],
    values: (values, { model: { name }, on }) =>
      name === model && on === 'update' && Object.hasOwn(values, field) && isEmpty(values[field])
        ? { ...without(values, field), ...effect }
        : values,
  };
  const { url } = closing(await startPlain({ defect }));
  return against(await check(url, { ...(await learnTerms(url, { models: [model] })), models: [model] })).map(
    ({ id, message }) => `${id} ${message}`,
  );
}

const isNull = (value: unknown) => value === null;
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

test.each([
  ['voucherProduct.ratio', isNull],
  ['supplier.region', isNull],
  ['crmContact.gender', isNull],
  ['customer.isAgency', isNull],
  ['customer.tags', isNull],
  ['customer.tags', isEmptyList],
  ['voucher.daysOfWeek', isNull],
  ['voucher.daysOfWeek', isEmptyList],
  ['warehouse.comments', isNull],
])('an update to nothing that is ignored in %s fails', async (key, isEmpty) => {
  expect(await failures(key, {}, isEmpty)).toEqual([
    expect.stringMatching(
      new RegExp(`^update.changes-field:${key} an update to (null|\\[\\]) keeps the value`),
    ),
  ]);
});

test.each([
  ['voucherProduct.ratio', 1],
  ['crmContact.gender', 1],
  ['customer.isAgency', false],
  ['warehouse.comments', 'none'],
])('a default instead of null in %s passes', async (key, value) => {
  expect(await failures(key, { [key.split('.')[1] ?? '']: value }, isNull)).toEqual([]);
});
