import { expect, test } from 'vitest';
import type { Faults } from '../../testing/services/faulty-service.ts';
import { useFaultyService } from '../../testing/use-faulty-service.ts';

const { failures, failuresAt, start } = useFaultyService();

test.each([
  ['warehouse', ['fields.wrong-type-on-update:warehouse.name', 'required.on-update:warehouse.name']],
  ['customerTag', ['fields.wrong-type-on-update:customerTag.public']],
  ['locker', ['values.refused-on-update:locker.status=-1']],
])('a refused update that stores what is valid in it: %s', async (model, ids) => {
  const refused: Faults['refused'] = (_, __, valid, before) => void (before && Object.assign(before, valid));
  expect(await failures([model], { faults: { refused } })).toEqual(expect.arrayContaining(ids));
});

test.each([
  ['null', 'required.null-on-create:locker.name', (value: unknown) => value === null],
  ['missing', 'required.on-create:locker.name', (value: unknown) => value === undefined],
  [
    'of another type',
    'fields.wrong-type-on-create:locker.name',
    (value: unknown) => Array.isArray(value) || (typeof value === 'object' && value !== null),
  ],
])(
  'a refused create that stores what is valid in it where a required value is %s',
  async (_, id, isMeant) => {
    const refused: Faults['refused'] = (model, sent, valid, before) =>
      void (!before && 'type' in sent && isMeant(sent.name) && service.insert(model, valid));
    const service = await start({ faults: { refused } });
    expect(await failuresAt(service.url, ['locker', 'lockerType'])).toContain(id);
  },
);
