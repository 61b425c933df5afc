import { describe, expect, test } from 'vitest';
import type { Contract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue, few, references, startMock } from '../../testing/mocks/mocks.ts';
import { DEFECTS, decorateWith, nameOfPlace, parseDefect } from './defects.ts';

const contract: Contract = { catalogue, references, profile: DEFAULT_PROFILE };
const small: Contract = { ...contract, catalogue: few };

/** A mock of a few models with the defect. */
function startWith(text: string) {
  return startMock({}, { decoration: decorateWith(parseDefect(text, small), small) });
}

describe('the catalogue of defects', () => {
  test('gives each a name of its own, a sentence and the rules about it', () => {
    expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
    for (const { name, rules, violates } of DEFECTS) {
      expect(name).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/);
      expect(violates).toMatch(/^[a-z].*[^.]$/);
      expect(rules.length).toBeGreaterThan(0);
    }
  });

  test('has a place for each defect, and each place once', () => {
    for (const defect of DEFECTS) {
      const places = [...catalogue.models.values()].flatMap((model) => defect.places(model, contract));
      const names = places.map(nameOfPlace);
      expect([defect.name, names.length]).not.toEqual([defect.name, 0]);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('reaches every model, and every field of it', () => {
    const reached = new Set(
      DEFECTS.flatMap((defect) =>
        [...catalogue.models.values()].flatMap((model) =>
          defect.places(model, contract).map(({ field }) => field?.key ?? model.name),
        ),
      ),
    );
    const all = [...catalogue.models.values()].flatMap(({ fields, name }) => [
      name,
      ...fields.map(({ key }) => key),
    ]);
    expect(all.filter((name) => !reached.has(name))).toEqual([]);
  });
});

describe('a mock with a defect', () => {
  test('drops what it is to drop, and keeps the rest', async () => {
    const { ask, create } = await startWith('create.drops-field:warehouse.comments');
    const { id } = await create('warehouse', { name: 'a', comments: 'b' });
    expect((await ask('GET', `/warehouse/${id}`)).body).toMatchObject({ name: 'a', comments: null });
  });

  test('refuses one member of a list only', async () => {
    const { ask } = await startWith('values.member-refused-on-create:voucherType.kind=3');
    const create = (kind: number) => ask('POST', '/voucherType', { name: 'a', kind, product: 1 });
    expect([(await create(1)).status, (await create(3)).status]).toEqual([201, 422]);
  });

  test('does not ask for a required field', async () => {
    const { ask } = await startWith('required.not-asked-for:warehouse.name');
    const { body, status } = await ask('POST', '/warehouse', {});
    expect([status, body]).toEqual([201, expect.objectContaining({ name: null })]);
  });

  test('stores a readonly field', async () => {
    const { ask, create } = await startWith('readonly.stored-on-create:warehouse.createUser');
    const { id } = await create('warehouse', { name: 'a', createUser: 77 });
    expect((await ask('GET', `/warehouse/${id}`)).body).toMatchObject({ createUser: 77 });
  });

  test('leaves a field out of one kind of answer', async () => {
    const { ask, create } = await startWith('fields.missing:warehouse.updated=list');
    const { id } = await create('warehouse', { name: 'a' });
    expect((await ask('GET', `/warehouse/${id}`)).body).toHaveProperty('updated');
    expect((await ask('GET', '/warehouse')).body).toEqual([
      expect.not.objectContaining({ updated: expect.anything() }),
    ]);
  });

  test('answers a method that does not exist', async () => {
    const { ask, create } = await startWith('absent.put-works:warehouse');
    const { id } = await create('warehouse', { name: 'a' });
    const { body, status } = await ask('PUT', `/warehouse/${id}`, { name: 'b' });
    expect([status, body]).toEqual([200, expect.objectContaining({ name: 'b' })]);
    expect((await ask('PATCH', `/warehouse/${id}`, { name: 'c' })).status).toBe(405);
  });

  test('does to the read-only model what does not exist', async () => {
    const { ask } = await startWith('absent.operation-works:subscriptionTask=create');
    expect((await ask('POST', '/subscriptionTask', { type: 5 })).status).toBe(201);
    expect((await ask('GET', '/subscriptionTask')).body).toEqual([expect.objectContaining({ type: 5 })]);
  });

  test('stands in every place of a model when no field is named', async () => {
    const { create } = await startWith('create.drops-field:warehouse');
    expect(await create('warehouse', { name: 'a', comments: 'b' })).toMatchObject({
      name: null,
      comments: null,
    });
  });

  test.each(DEFECTS.map((defect) => [defect.name, defect] as const))(
    'with %s in one model answers as ever in another',
    async (_, defect) => {
      const [place] = [...few.models.values()]
        .filter(({ name }) => name !== 'warehouse')
        .flatMap((model) => defect.places(model, small));
      if (!place) return;
      const right = await shared;
      const wrong = await right.mock.fork(decorateWith({ defect, places: [place] }, small));
      expect(await visit(wrong)).toEqual(await visit(await right.mock.fork()));
    },
  );
});

const shared = startMock();

/** Returns the responses of a mock to a series of requests about warehouses. */
async function visit({ fetch }: Awaited<typeof shared>['mock']): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [method, path, sent] of [
    ['POST', '', { name: 'a' }],
    ['POST', '', {}],
    ['POST', '/1', { comments: 'b' }],
    ['GET', '/1', undefined],
    ['GET', '?limit=1', undefined],
    ['PUT', '/1', { name: 'c' }],
    ['GET', '/99', undefined],
    ['DELETE', '/1', undefined],
    ['GET', '', undefined],
  ] as const) {
    const init = sent ? { body: JSON.stringify(sent), headers: { 'content-type': 'application/json' } } : {};
    const response = await fetch(
      new Request(`http://mock.invalid${few.base}/warehouse${path}`, { method, ...init }),
    );
    answers.push([response.status, await response.text()]);
  }
  return answers;
}
