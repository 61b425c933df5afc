/**
 * Sends random requests, most of them invalid, to a mock in this process, and prints what failed.
 *
 *   npm run prove:fuzz -- [--requests 1000000] [--seed 1] [--data mock.db | --postgres]
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../testing/stores/postgres.ts';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    data: { type: 'string' },
    postgres: { type: 'boolean', default: false },
  },
});
await using server = values.postgres ? await startPostgres() : undefined;
const data = (await server?.database()) ?? values.data;
const { compared, left, problems, statuses } = await fuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  ...(data !== undefined && { data }),
  say: (line) => process.stderr.write(`\r${line}`),
});
const answers = [...statuses]
  .sort(([one], [other]) => one - other)
  .map(([status, count]) => `${count} × ${status}`);
process.stdout.write(
  `\n${values.requests} requests (${answers.join(', ')}), ${compared} records compared, ${(left / 2 ** 20).toFixed(1)} MiB more in use at the end, ${problems.length} problems\n`,
);
for (const problem of problems) process.stdout.write(`  ${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
