import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createEngine, type Engine } from '../../mock/engine/engine.ts';
import { readSemantics } from '../../mock/engine/relations.ts';
import { createPostgresStore } from '../../mock/store/postgres/postgres.ts';
import type { Store } from '../../mock/store/store.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { expectAgreement, orderSteps, takeOrderStep } from '../../testing/stores/order-walks.ts';
import { NO_POSTGRES, startPostgres, type TestPostgres } from '../../testing/stores/postgres.ts';

describe.skipIf(NO_POSTGRES)('orders and their lines, done to two replicas', () => {
  const semanticsOf = (effect: string) =>
    readSemantics({ catalogue, references, profile: createProfile({ 'delete.effect': effect }, catalogue) });
  const layout = semanticsOf('mark').relations.layout();
  let server: TestPostgres;
  let replicas: readonly Store[] = [];
  let opened = 0;
  beforeAll(async () => {
    server = await startPostgres();
    const url = await server.database();
    replicas = await Promise.all([createPostgresStore(url, layout), createPostgresStore(url, layout)]);
  });
  afterAll(async () => {
    for (const store of replicas) await store.close();
    await server[Symbol.asyncDispose]();
  });

  /** The engines of both over one new session. */
  async function openEngines(effect: string): Promise<(step: number) => Engine> {
    opened += 1;
    const semantics = semanticsOf(effect);
    const engines: Engine[] = [];
    for (const store of replicas) {
      const records = await store.open(`walk-${opened}`, '@none');
      engines.push(createEngine({ semantics, records, clock: () => new Date(0) }));
    }
    return (step) => engines[step % engines.length] as Engine;
  }

  test.each(['mark', 'remove'])('by turns agree, where a delete would %s', async (effect) => {
    await fc.assert(
      fc.asyncProperty(orderSteps, async (taken) => {
        const engine = await openEngines(effect);
        for (const [index, step] of taken.entries()) await takeOrderStep(engine(index), step);
        await expectAgreement(engine(opened));
      }),
      { seed: 20251022, numRuns: 12 },
    );
  });

  test('at once have some order', async () => {
    await fc.assert(
      fc.asyncProperty(orderSteps, async (taken) => {
        const engine = await openEngines('mark');
        await Promise.all(taken.map((step, index) => takeOrderStep(engine(index), step)));
        await expectAgreement(engine(opened));
      }),
      { seed: 20251022, numRuns: 12 },
    );
  });
});
