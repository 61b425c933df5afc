import { plural } from '../conformance/report/terminal-case.ts';
import { loadFixtures } from '../fixtures/fixtures.ts';
import { loadContract } from '../spec/contract.ts';
import { describeProfile, profileName } from '../spec/profile/profile.ts';
import { say, untilSignal } from './console.ts';
import type { ContractOptions } from './options.ts';
import { terminal } from './terminal.ts';

/** Serves the mock until a signal comes. */
export async function serveMock(
  options: ContractOptions & {
    port: number;
    host: string;
    fixtures?: string;
    defect?: string;
    listDefects?: true;
  },
): Promise<void> {
  const { DEFECTS, decorateWith, parseDefect } = await import('../mock/defects/defects.ts');
  if (options.listDefects) {
    for (const { name, violates } of DEFECTS) terminal().stdout.write(`${name.padEnd(36)} ${violates}\n`);
    return;
  }
  const { createMock } = await import('../mock/mock.ts');
  const { listen } = await import('../mock/http/server.ts');
  const contract = loadContract(options);
  // The demo club is one of the shipped models; another catalogue starts empty.
  const fixtures = loadFixtures(options.fixtures ?? (options.catalogue === undefined ? 'demo' : 'none'));
  const placed = options.defect === undefined ? undefined : parseDefect(options.defect, contract);
  const mock = await createMock({
    ...contract,
    fixtures,
    ...(placed ? { decoration: decorateWith(placed, contract) } : {}),
    onError: (error) => say((error as Error).stack ?? String(error)),
  });
  const server = await listen(mock, { port: options.port, host: options.host });
  const { models, operations, records } = mock.counts;
  say(`Mock of ${contract.catalogue.title} ${contract.catalogue.version} on ${server.url}`);
  say(
    `  ${[plural(models, 'model'), plural(operations, 'operation'), plural(records, 'record')].join(', ')}`,
  );
  say(`  profile ${[profileName(options.profile), ...describeProfile(contract.profile)].join(', ')}`);
  if (placed)
    say(
      `  defect ${placed.defect.name} at ${plural(placed.places.length, 'place')}: ${placed.defect.violates}`,
    );
  say(`  document ${server.url}/openapi.json and ${server.url}/openapi.yaml`);
  say(`  try curl ${server.url}${contract.catalogue.base}/${contract.catalogue.models.keys().next().value}`);
  say('Ctrl-C stops it.');
  await untilSignal();
  await server.close();
}
