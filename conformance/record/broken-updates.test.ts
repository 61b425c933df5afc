import { expect, test } from 'vitest';
import { useFaultyService } from '../../testing/use-faulty-service.ts';

const { failures } = useFaultyService();

/** A service that breaks where the value of an update is such. */
const breaksAt = (field: string, isSuch: (value: unknown) => boolean) => ({
  faults: {
    store: (_: string, row: { id: number; deleted: boolean }, sent: Record<string, unknown>) => {
      if (row.id > 0 && isSuch(sent[field])) throw new Error('out of order');
      return row;
    },
  },
});

test('an update to a number below zero that breaks the service fails its field, and no other', async () => {
  const service = breaksAt('value', (value) => typeof value === 'number' && value < 0);
  expect(await failures(['productSplit'], service)).toEqual(['update.changes-field:productSplit.value']);
});

test('an update to zero that breaks the service fails its field, and no other', async () => {
  const service = breaksAt('amount', (value) => value === 0);
  expect(await failures(['productSplit'], service)).toEqual(['update.changes-field:productSplit.amount']);
});

test('an update that moves created by some milliseconds fails, also where only updates of one field do', async () => {
  const moved = (row: { id: number }, sent: object) => row.id > 0 && Object.keys(sent).length === 1;
  const service = {
    faults: {
      store: (_: string, row: { id: number; deleted: boolean; created?: string }, sent: object) =>
        moved(row, sent)
          ? { ...row, created: new Date(Date.parse(row.created ?? '') + 7).toISOString() }
          : row,
    },
  };
  expect(await failures(['warehouse'], service)).toEqual(['update.keeps-origin:warehouse']);
});

test('a list without the author is no update that changes it', async () => {
  const show = (_: string, row: { id: number; deleted: boolean; createUser?: number }, where: string) => {
    const { createUser, ...rest } = row;
    return where === 'list' ? rest : row;
  };
  const found = await failures(['warehouse'], { faults: { show } });
  expect(found).not.toContain('update.keeps-origin:warehouse');
  expect(found).toContain('list.agrees:warehouse');
});
