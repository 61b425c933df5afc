/**
 * Runs the script of `check --repro` for each kind of defect, on the service with the defect and on the healthy one. Fails
 * if a script finds a fault in the healthy service, or if too few causes get a script.
 *
 *   npm run prove:scripts -- [--seed NUMBER]
 */
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { demo } from '../../testing/demo.ts';
import { createScriptTrials, LEAST_SCRIPTS, type ScriptVerdict } from './scripts.ts';
import { drawKinds, listTrials } from './trials.ts';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
const catalogue = loadCatalogue();
const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
const trials = listTrials(contract);
const kinds = new Set(trials.map(({ defect }) => defect.name));
const tryScript = await createScriptTrials(contract, demo);
const verdicts: ScriptVerdict[] = [];
for (const trial of drawKinds(trials, kinds.size, Number(values.seed))) {
  const verdict = await tryScript(trial);
  verdicts.push(verdict);
  if (verdict.verdict !== 'shown')
    process.stdout.write(`${verdict.verdict.padEnd(6)}  ${verdict.name}  ${verdict.said.split('\n')[0]}\n`);
}
const { none = [], shown = [], unseen = [], wrong = [] } = Object.groupBy(verdicts, ({ verdict }) => verdict);
const found = verdicts.length - unseen.length;
const share = Math.floor((100 * shown.length) / found);
process.stdout.write(
  `scripts: ${shown.length} of ${found} show the defect and not the healthy service (${share} %; at least ${LEAST_SCRIPTS} %), ${none.length} causes without a script, ${wrong.length} wrong\n`,
);
process.exitCode = wrong.length === 0 && share >= LEAST_SCRIPTS ? 0 : 1;
