/**
 * Checks all models of mocks on a file, under a number of the covering profiles. The first is the default profile.
 *
 *   node bench/store/check.ts [3]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCode } from '../../conformance/results/verdict.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { describeProfile } from '../../spec/profile/profile.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { checkReplicas, faultsOf } from '../replicas/replicas.ts';

const [count = '3'] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'check-'));
for (const [index, profile] of coverProfiles(loadCatalogue()).slice(0, Number(count)).entries()) {
  const begun = performance.now();
  const results = await checkReplicas(join(directory, `${index}.db`), { replicas: 1, profile });
  const faults = faultsOf(results);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  process.stdout.write(
    `profile ${index} (${describeProfile(profile).length} settings differ): ${results.cases.length} cases, ${faults.length} no pass, ${seconds} s\n`,
  );
  for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
  if (exitCode(results) !== 0) process.exitCode = 1;
}
rmSync(directory, { recursive: true });
