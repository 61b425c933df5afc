import type { ContractDocument } from '../../generator/generate.ts';
import { createMock } from '../../mock/mock.ts';
import type { Outcome, Trial } from './consumer.ts';
import { loopModel } from './crud-loop.ts';
import type { Between } from './express-validator.ts';

/** Starts a consumer that stands between a client and a service. */
export type Start = (document: ContractDocument, upstream: string) => Promise<Between>;

/** A client, a consumer and the mock with the demo records: the loop of each model of the contract. */
export async function standBetween(
  start: Start,
  { contract, document, models, records }: Omit<Trial, 'directory'>,
): Promise<Outcome> {
  await using mock = await createMock({ ...contract, fixtures: records });
  const { url: upstream } = await mock.listen();
  const between = await start(document, upstream);
  try {
    const faults: string[] = [];
    let count = 0;
    for (const model of models) {
      const result = await loopModel(model, { contract, document, url: between.url });
      faults.push(...result.faults);
      count += result.count;
    }
    return { count, faults };
  } finally {
    await between.close();
  }
}
