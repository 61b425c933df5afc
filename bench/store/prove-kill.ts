/**
 * Kills mocks under load, and compares what their files or databases hold with what they had acknowledged.
 *
 *   npm run prove:kill -- [--times 200] [--seed 1] [--signal SIGTERM] [--sync full | --postgres]
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../testing/stores/postgres.ts';
import { killUnderLoad } from './kill.ts';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    sync: { type: 'string', default: 'normal' },
    signal: { type: 'string', default: 'SIGKILL' },
    postgres: { type: 'boolean', default: false },
  },
});
await using server = values.postgres ? await startPostgres({ isDurable: true }) : undefined;
const { acknowledged, problems, times, unanswered } = await killUnderLoad({
  times: Number(values.times),
  seed: Number(values.seed),
  ...(server ? { place: () => server.database() } : { flags: ['--data-sync', values.sync] }),
  signal: values.signal === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL',
  say: (line) => process.stderr.write(`\r${line}`),
});
const ends = Object.entries(unanswered)
  .map(([end, count]) => `${count} ${end}`)
  .join(', ');
process.stdout.write(
  `\n${values.signal} ${times} times: ${acknowledged} writes acknowledged, ${problems.length} problems; last requests: ${ends}\n`,
);
for (const problem of problems) process.stdout.write(`  ${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
