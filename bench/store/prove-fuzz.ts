/**
 * Sends requests drawn by lot to a mock in this process, most of them wrong, and says what they shook.
 *
 *   npm run prove:fuzz -- [--requests 1000000] [--seed 1] [--data mock.db]
 */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    data: { type: 'string' },
  },
});
const { compared, problems, statuses } = await fuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  ...(values.data !== undefined && { data: values.data }),
  say: (line) => process.stderr.write(`\r${line}`),
});
const answers = [...statuses]
  .sort(([one], [other]) => one - other)
  .map(([status, count]) => `${count} × ${status}`);
process.stdout.write(
  `\n${values.requests} requests (${answers.join(', ')}), ${compared} records compared, ${problems.length} problems\n`,
);
for (const problem of problems) process.stdout.write(`  ${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
