import { expect, test } from 'vitest';
import { against, check, idsAgainst } from '../../testing/checks.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { complaints, learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { serve, start } = useForeignService();

test.each(['update', 'delete'])(
  'a service fails if its %s of a record also changes the records that link to it',
  async (on) => {
    const after: Defect['after'] = (at) => {
      if (at.on !== on || at.model.name !== 'voucherType') return;
      for (const { id, type } of at.tables.all('voucher'))
        if (Number(type) === at.id) at.tables.change('voucher', Number(id), { comments: `changed ${at.id}` });
    };
    const { url } = await start({ after }, 'sort=field');
    const rules = ['update.keeps-other-records', 'delete'];
    const results = await check(url, { models: ['voucherType'], rules });
    expect(idsAgainst(results)).toEqual([`${on}.keeps-other-records:voucherType`]);
  },
);

test('a service fails if a delete removes the required link of another record', async () => {
  const after: Defect['after'] = ({ id, model, on, tables }) => {
    if (on !== 'delete' || model.name !== 'lockerType') return;
    for (const one of tables.all('locker'))
      if (Number(one.type) === id) tables.change('locker', Number(one.id), { type: null });
  };
  const { url } = await start({ after }, 'sort=field');
  const results = await check(url, { models: ['lockerType'], rules: ['delete'] });
  expect(against(results)).toMatchObject([
    { id: 'delete.keeps-other-records:lockerType', message: 'a record lost its required locker.type' },
  ]);
});

test('a required link that a model never shows does not fail the linked model', async () => {
  const shown: Defect['shown'] = (row, { model }) =>
    model.name === 'lockerCustomer' ? { ...row, locker: null } : row;
  const { url } = await start({ shown }, 'sort=field');
  const rules = ['delete', 'required.present', 'update.keeps-other-records'];
  const failed = against(await check(url, { models: ['locker', 'lockerCustomer'], rules }));
  expect(failed.filter(({ model }) => model === 'locker')).toEqual([]);
  expect(failed.map(({ id }) => id)).toContain('required.present:lockerCustomer.locker');
});

test.each(['restrict', 'cascade', 'unlink'])(
  'a service passes for each treatment of records that link to a deleted one: %s',
  async (referred) => {
    const url = await serve(`referred=${referred}`, 'ids=used again', 'deletes=remove', 'stamps=seconds');
    const models = ['lockerType', 'locker', 'supplier', 'stockOrder'];
    const results = await learnAndCheck(url, { models, rules: ['update', 'delete'] });
    expect(complaints(results)).toEqual([]);
  },
);

/** Each changes other records after a write of the model. */
const BUSINESS_RULES: Readonly<Record<string, NonNullable<Defect['after']>>> = {
  // One supplier is the main one.
  supplier: ({ id, on, sent, tables }) => {
    if (on === 'delete' || sent?.main !== true) return;
    for (const one of tables.all('supplier'))
      if (one.id !== id) tables.change('supplier', Number(one.id), { main: false });
  },
  // A transfer gives a share to its buyer.
  shareTransfer: ({ on, sent, tables }) =>
    on === 'create' && tables.change('share', Number(sent?.share), { customer: sent?.buyer }),
  // A locker with a customer has another status.
  lockerCustomer: ({ on, sent, tables }) =>
    on === 'create' && tables.change('locker', Number(sent?.locker), { status: 1 }),
};

test.each(Object.entries(BUSINESS_RULES))(
  'a service passes if a business rule for %s changes other records',
  async (name, act) => {
    const { url } = await start({ after: (at) => at.model.name === name && act(at) });
    expect(complaints(await learnAndCheck(url, { models: [name] }))).toEqual([]);
  },
);
