/**
 * Compares what each case says of 412 defects with the committed table, and shows each line that differs. It holds the
 * verdicts still while the code of the suite moves.
 *
 *   npm run prove:outcomes -- [--write]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { demo } from '../../testing/demo.ts';
import { createOutcomes, differencesOf, drawnTrials, nameOf, readTable, TABLE } from './outcomes.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const catalogue = loadCatalogue();
const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
const outcomes = await createOutcomes(contract, demo);
const trials = drawnTrials(contract);
const found: string[] = [];
for (const [index, trial] of trials.entries()) {
  if (index % 50 === 0) process.stderr.write(`${index} of ${trials.length} defects\n`);
  found.push(await outcomes(trial));
}
if (values.write) writeFileSync(TABLE, `${found.join('\n')}\n`);
const table = readTable();
let differing = 0;
for (const paragraph of found) {
  const name = nameOf(paragraph);
  const lines = differencesOf(table.get(name), paragraph);
  table.delete(name);
  if (lines.length === 0) continue;
  differing++;
  process.stdout.write(`${[name, ...lines].join('\n')}\n`);
}
for (const name of table.keys()) process.stdout.write(`${name} is in the table only\n`);
process.stdout.write(`${trials.length} defects, ${differing + table.size} differ from the table\n`);
process.exitCode = differing + table.size === 0 ? 0 : 1;
