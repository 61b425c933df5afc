import { exitCode } from '../../conformance/results/verdict.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { describeProfile } from '../../spec/profile/profile.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { startPostgres } from '../../testing/stores/postgres.ts';
import { checkReplicas, faultsOf } from './replicas.ts';

/** Checks all models over PostgreSQL, by one replica and by three, under so many of the covering profiles. */
const [count = '3'] = process.argv.slice(2);
const profiles = coverProfiles(loadCatalogue()).slice(0, Number(count));

await using server = await startPostgres();
for (const [index, profile] of profiles.entries())
  for (const replicas of [1, 3]) {
    const begun = performance.now();
    const results = await checkReplicas(await server.database(), { replicas, profile });
    const faults = faultsOf(results);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const settings = describeProfile(profile).length;
    process.stdout.write(
      `profile ${index} (${settings} settings differ), ${replicas} replica${replicas > 1 ? 's' : ''}: ` +
        `${results.cases.length} cases, ${faults.length} no pass, ${seconds} s\n`,
    );
    for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
    if (exitCode(results) !== 0) process.exitCode = 1;
  }
