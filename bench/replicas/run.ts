/**
 * Checks mocks over PostgreSQL, one and three behind a balancer, or one over SQLite, under the covering profiles. The
 * first is the default one.
 * Of `--share 6` each profile has a sixth of the models, the next one the next sixth.
 *
 *   npm run prove:replicas -- [--profiles 3] [--share 1] [--from 0] [--sqlite]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitCode } from '../../conformance/results/verdict.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { describeProfile } from '../../spec/profile/profile.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { startPostgres } from '../../testing/stores/postgres.ts';
import { checkReplicas, faultsOf } from './replicas.ts';

const { values } = parseArgs({
  options: {
    profiles: { type: 'string', default: '3' },
    share: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    sqlite: { type: 'boolean', default: false },
  },
});
const [count, share, from] = [values.profiles, values.share, values.from].map(Number) as [
  number,
  number,
  number,
];
const catalogue = loadCatalogue();
const profiles = [...coverProfiles(catalogue).entries()].slice(from, from + count);

const directory = mkdtempSync(join(tmpdir(), 'record-model-'));
await using server = values.sqlite ? undefined : await startPostgres();
let [cases, wrong] = [0, 0];
for (const [index, profile] of profiles) {
  const models = [...catalogue.models.keys()].filter((_, at) => at % share === index % share);
  for (const replicas of server ? [1, 3] : [1]) {
    const begun = performance.now();
    const results = await checkReplicas((await server?.database()) ?? join(directory, `${index}.db`), {
      replicas,
      profile,
      models,
    });
    const faults = faultsOf(results);
    cases += results.cases.length;
    wrong += faults.length;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const settings = describeProfile(profile).length;
    process.stdout.write(
      `profile ${index} (${settings} settings differ), ${models.length} models, ${replicas} replica${replicas > 1 ? 's' : ''}: ` +
        `${results.cases.length} cases, ${faults.length} no pass, ${seconds} s\n`,
    );
    for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
    if (exitCode(results) !== 0) process.exitCode = 1;
  }
}
process.stdout.write(`${profiles.length} profiles: ${cases} cases, ${wrong} no pass\n`);
rmSync(directory, { recursive: true });
