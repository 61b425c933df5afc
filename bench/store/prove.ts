/** Proves that a mock keeps what it acknowledged, and prints what failed. */
import { Argument, Command } from 'commander';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { describeProfile } from '../../spec/profile/profile.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { startPostgres } from '../../testing/stores/postgres.ts';
import { describeBad } from '../prove/run-on.ts';
import { fuzz } from './fuzz.ts';
import { killUnderLoad } from './kill.ts';
import { checkReplicas } from './replicas.ts';

const command = new Command('npm run prove')
  .addArgument(new Argument('<what>').choices(['fuzz', 'kill', 'replicas']))
  .option('--requests <number>', 'random requests of fuzz', '1000000')
  .option('--times <number>', 'kills', '200')
  .option('--profiles <number>', 'profiles of replicas', '3')
  .option('--seed <number>', 'draw with this seed', '1')
  .option('--postgres', 'store the records in PostgreSQL')
  .option('--sync <level>', 'the --data-sync of the killed mock', 'normal')
  .parse();
const [what] = command.processedArgs;
const values = command.opts();
const needsServer = values.postgres === true || what === 'replicas';
await using server = needsServer ? await startPostgres({ isDurable: what === 'kill' }) : undefined;
const seed = Number(values.seed);
const progress = (line: string) => process.stderr.write(`\r${line}`);
const print = (line: string) => process.stdout.write(`${line}\n`);
const proofs = { fuzz: proveFuzz, kill: proveKill, replicas: proveReplicas };
const problems = await proofs[what as keyof typeof proofs]();
for (const problem of problems) print(`  ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Sends random requests, most of them invalid, to a mock in this process. */
async function proveFuzz(): Promise<readonly string[]> {
  const data = await server?.database();
  const requests = Number(values.requests);
  const found = await fuzz({ requests, seed, ...(data !== undefined && { data }), say: progress });
  const answers = [...found.statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${count} × ${status}`);
  print(
    `\n${requests} requests (${answers.join(', ')}), ${found.compared} records compared, ${(found.left / 2 ** 20).toFixed(1)} MiB more in use at the end, ${found.problems.length} problems`,
  );
  return found.problems;
}

/** Kills mocks under load, and compares what their files or databases hold with what they had acknowledged. */
async function proveKill(): Promise<readonly string[]> {
  const { acknowledged, problems } = await killUnderLoad({
    times: Number(values.times),
    seed,
    ...(server ? { place: () => server.database() } : { flags: ['--data-sync', values.sync] }),
    say: progress,
  });
  print(`\nkilled ${values.times} times: ${acknowledged} writes acknowledged, ${problems.length} problems`);
  return problems;
}

/** Checks mocks on one database, one and three behind a balancer, under the covering profiles; the first is the default. */
async function proveReplicas(): Promise<readonly string[]> {
  const problems: string[] = [];
  let cases = 0;
  const profiles = coverProfiles(loadCatalogue()).slice(0, Number(values.profiles));
  for (const [index, profile] of profiles.entries())
    for (const replicas of [1, 3]) {
      const results = await checkReplicas((await server?.database()) ?? '', { replicas, profile });
      const faults = describeBad(results.cases);
      problems.push(...faults.map((fault) => `profile ${index}, ${replicas} at once: ${fault}`));
      cases += results.cases.length;
      print(
        `profile ${index} (${describeProfile(profile).length} settings differ), ${replicas} at once: ${results.cases.length} cases, ${faults.length} no pass`,
      );
    }
  print(`${profiles.length} profiles: ${cases} cases, ${problems.length} no pass`);
  return problems;
}
