/**
 * Puts consumers of the document between a client and the mock, and tells what they report over the life of records.
 * As a command it takes every model and prints a line for each consumer and profile; exit code 1 when any reports.
 */
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { type ContractDocument, generateDocument } from '../../generator/generate.ts';
import { OPENAPI_VERSIONS, type OpenApiVersion } from '../../generator/version.ts';
import { createMock } from '../../mock/mock.ts';
import { type Contract, loadContract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { coverProfiles } from '../profile/profile-cover.ts';
import { type LoopResult, loopModel } from './crud-loop.ts';
import { type Between, startExpressValidator } from './express-validator.ts';
import { installTools, sendWithNewman } from './newman.ts';
import { startPrismProxy } from './prism-proxy.ts';

type Start = (document: ContractDocument, upstream: string) => Promise<Between>;

export const CONSUMERS: Readonly<Record<string, Start>> = {
  'express-openapi-validator': startExpressValidator,
  'prism proxy --errors': startPrismProxy,
};

/** A client, a consumer and the mock with the demo records: the loop of each model of the contract. */
export async function runConsumer(
  start: Start,
  contract: Contract,
  {
    change = () => {},
    openapi = '3.1',
  }: { change?: (document: ContractDocument) => void; openapi?: OpenApiVersion } = {},
): Promise<LoopResult> {
  const models = contract.catalogue.models;
  const records = new Map([...loadFixtures('demo')].filter(([name]) => models.has(name)));
  const document = generateDocument(contract, { openapi, records });
  change(document);
  await using mock = await createMock({ ...contract, fixtures: records });
  const { url: upstream } = await mock.listen();
  const between = await start(document, upstream);
  try {
    const faults: string[] = [];
    let sent = 0;
    for (const model of models.values()) {
      const result = await loopModel(model, { contract, document, url: between.url });
      faults.push(...result.faults);
      sent += result.sent;
    }
    return { sent, faults };
  } finally {
    await between.close();
  }
}

/**
 * The default and two profiles far from it and from each other, of those under which records can be sent back whole.
 */
export function profilesForConsumers({ catalogue, profile }: Contract): Profile[] {
  const whole = coverProfiles(catalogue).filter(
    (one) =>
      one['request.encoding'] === 'json' &&
      one['request.readonlyFields'] === 'ignore' &&
      one['auth.scheme'] === 'none',
  );
  const texts = whole.find((one) => one['types.select'] === 'string' && one['response.record'] !== '');
  const objects = whole.find((one) => one['types.select'] === 'object' && one['types.lines'] === 'objects');
  return [profile, ...[texts, objects].filter((one) => one !== undefined)];
}

/** Profiles far from each other, for what takes any of them. */
function someProfiles({ catalogue, profile }: Contract): Profile[] {
  return [profile, ...coverProfiles(catalogue).filter((_, index) => index % 10 === 0)].slice(0, 5);
}

async function tell(name: string, contract: Contract, run: () => Promise<LoopResult>): Promise<void> {
  const began = performance.now();
  const { faults, sent } = await run();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const { size } = contract.catalogue.models;
  process.stdout.write(
    `${name}: ${size} models, ${sent} requests, ${faults.length} reported, ${seconds} s\n`,
  );
  for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.main) {
  installTools();
  const contract = loadContract();
  for (const [number, profile] of someProfiles(contract).entries())
    await tell(`newman, profile ${number}`, contract, () => sendWithNewman({ ...contract, profile }));
  for (const [number, profile] of profilesForConsumers(contract).entries())
    for (const [name, start] of Object.entries(CONSUMERS))
      for (const openapi of OPENAPI_VERSIONS)
        await tell(`${name}, profile ${number}, OpenAPI ${openapi}`, contract, () =>
          runConsumer(start, { ...contract, profile }, { openapi }),
        );
}
