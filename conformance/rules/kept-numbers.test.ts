import { expect, test } from 'vitest';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

const summer = (text: string) => /-0[4-9]-/.test(text);
const dayBefore = (text: string) =>
  new Date(Date.parse(`${text}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

/** Changes that services make to few of the values of a type. */
const CHANGES: Readonly<Record<string, (value: unknown) => unknown>> = {
  'voucherProduct.ratio rounded to four decimals': (value) =>
    typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value,
  'editedSale.issueDate a day early in summer': (value) =>
    typeof value === 'string' && summer(value) ? dayBefore(value) : value,
  'deposit.endDate at most in 2038': (value) =>
    typeof value === 'string' && value > '2038-01-19' ? '2038-01-19' : value,
  'customerToTag.end at most in 2037': (value) =>
    typeof value === 'string' && value > '2038' ? `2037${value.slice(4)}` : value,
};

test.each(Object.keys(CHANGES))('a service that stores %s fails', async (words) => {
  const [, model = '', field = ''] = /^(\w+)\.(\w+)/.exec(words) ?? [];
  const values = (row: Readonly<Record<string, unknown>>) =>
    field in row ? { ...row, [field]: CHANGES[words]?.(row[field]) } : row;
  const defect = {
    name: 'changes-values',
    rules: [],
    models: [model],
    values: (row: Record<string, unknown>, at: { model: { name: string } }) =>
      at.model.name === model ? values(row) : row,
  };
  const service = closing(await startPlain({ defect }));
  const rules = ['create.keeps-field', 'advice.edge-kept'];
  const { cases } = await learnAndCheck(service.url, { models: [model], rules });
  const failed = cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  expect(failed).toContain(`create.keeps-field:${model}.${field}`);
});
