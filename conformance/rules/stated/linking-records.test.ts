import { describe, expect, test } from 'vitest';
import { against } from '../../../testing/checks.ts';
import type { Defect } from '../../../testing/services/defects/defect.ts';
import { readOptions } from '../../../testing/services/plain/options.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { complaints, learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

/** A write to a record also changes a field of the records that link to it. */
function changes(on: string, model: string, linking: string, link: string, field: string): Defect {
  return {
    name: 'changes-linking',
    rules: [],
    models: [model],
    after: (at) => {
      if (at.on !== on || at.model.name !== model) return;
      for (const row of at.tables.all(linking))
        if (Number(row[link]) === at.id)
          at.tables.change(linking, Number(row.id), { [field]: `changed ${at.id}` });
    },
  };
}

test.each<[on: string, model: string, linking: string, link: string, field: string]>([
  ['update', 'voucherType', 'voucher', 'type', 'comments'],
  ['delete', 'voucherType', 'voucher', 'type', 'comments'],
  ['delete', 'subscription', 'lockerType', 'subscription', 'name'],
  ['update', 'share', 'shareTransfer', 'share', 'comments'],
  ['update', 'customer', 'voucher', 'customer', 'comments'],
])('a %s of a %s that changes %s records by %s, field %s, fails', async (on, model, ...rest) => {
  const service = closing(await startPlain({ defect: changes(on, model, ...rest) }));
  const results = await learnAndCheck(service.url, { models: [model], rules: ['update', 'delete'] });
  expect(against(results).map(({ id }) => id)).toEqual([`${on}.keeps-other-records:${model}`]);
});

describe('a service passes that', () => {
  test.each([['stays'], ['restrict'], ['cascade'], ['unlink']])(
    'does with the records that link to a deleted one: %s',
    async (referred) => {
      const dialect = readOptions([
        `referred=${referred}`,
        'ids=used again',
        'deletes=remove',
        'stamps=seconds',
      ]);
      const service = closing(await startPlain({ dialect }));
      const results = await learnAndCheck(service.url, {
        models: ['customer', 'voucherType', 'voucher', 'subscription', 'supplier', 'stockOrder'],
        rules: ['update', 'delete', 'create'],
      });
      expect(complaints(results)).toEqual([]);
    },
  );
});
