/**
 * Compares what each case says of 412 defects with a committed table, and shows each line that differs. It holds the
 * verdicts still while the code of the suite moves. With `--services` it does so for services that share no code with
 * the kit, healthy and with defects.
 *
 *   npm run prove:outcomes -- [--services] [--write]
 */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { demo } from '../../testing/demo.ts';
import { createOutcomes, differencesOf, drawnTrials, nameOf, readTable, TABLES } from './outcomes.ts';
import { serviceOutcomes } from './services/outcomes.ts';

const values = new Command('npm run prove:outcomes --')
  .description('Compares what each case says of defects with a table.')
  .option('--services', 'compare services that share no code with the kit')
  .option('--write', 'write the table')
  .parse()
  .opts<{ services?: true; write?: true }>();
const kind = values.services ? 'services' : 'defects';
const catalogue = loadCatalogue();
let count = 0;
const found = await (values.services ? serviceOutcomes(catalogue, progress) : defectOutcomes());
const table = readTable(kind);
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
process.stdout.write(`${found.length} ${kind}, ${differing + table.size} differ from the table\n`);
if (values.write) writeFileSync(TABLES[kind], `${found.join('\n')}\n`);
else process.exitCode = differing + table.size === 0 ? 0 : 1;

async function defectOutcomes(): Promise<string[]> {
  const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
  const outcomes = await createOutcomes(contract, demo);
  const paragraphs: string[] = [];
  for (const trial of drawnTrials(contract)) {
    paragraphs.push(await outcomes(trial));
    progress();
  }
  return paragraphs;
}

function progress(): void {
  if (++count % 20 === 0) process.stderr.write(`${count} ${kind}\n`);
}
