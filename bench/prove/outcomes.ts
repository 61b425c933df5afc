import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWireCheck } from '../../conformance/assert/agreement.ts';
import type { CaseResult } from '../../conformance/results/results.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { nameOfPlace } from '../../mock/defects/defects.ts';
import type { Mock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import { createForks, runOn } from './run-on.ts';
import { drawTrials, listTrials, type PlacedOnce } from './trials.ts';

/** How many trials the committed table has: each defect at two places at least, and others. */
const TRIALS = 412;
const SEED = 1;

/** The committed tables: of each trial what differs from a run without a defect, and of each service all but passes. */
export const TABLES = {
  defects: join(import.meta.dirname, 'outcomes.txt'),
  services: join(import.meta.dirname, 'services/outcomes.txt'),
} as const;

/** Returns the outcomes of all cases of a model on one defect, as one paragraph of text. */
export type Outcomes = (trial: PlacedOnce) => Promise<string>;

/** Returns the trials of the committed table. Draws others for those that no longer exist. */
export function drawnTrials(contract: Contract): PlacedOnce[] {
  const known = readTable('defects');
  const trials = listTrials(contract);
  const isKnown = ({ defect, place }: PlacedOnce) => known.has(`${defect.name}:${nameOfPlace(place)}`);
  const kept = trials.filter(isKnown);
  const names = new Set(kept.map(({ defect }) => defect.name));
  const others = trials.filter((trial) => !isKnown(trial));
  const fresh = drawTrials(others, TRIALS, SEED).flatMap((number) => others[number] ?? []);
  const missing = fresh.toSorted(
    (one, other) => Number(names.has(one.defect.name)) - Number(names.has(other.defect.name)),
  );
  return [...kept, ...missing.slice(0, Math.max(0, TRIALS - kept.length))];
}

/** Makes what all trials share: one mock to fork, and the outcomes of each model without a defect. */
export async function createOutcomes(contract: Contract, fixtures: Fixtures): Promise<Outcomes> {
  const fork = await createForks(contract, fixtures);
  const check = createWireCheck(contract);
  const run = async (model: string, mock: Promise<Mock>) =>
    runOn(await mock, { ...contract, check, selection: { models: [model] } });
  const healthy = new Map<string, ReadonlyMap<string, string>>();
  return async ({ defect, place }) => {
    const { name } = place.model;
    const key = `${name} ${defect.onEmpty}`;
    if (!healthy.has(key))
      healthy.set(key, new Map((await run(name, fork(defect))).map(({ id, outcome }) => [id, outcome])));
    const cases = await run(name, fork(defect, place));
    const changed = cases.filter(({ id, outcome }) => outcome !== healthy.get(key)?.get(id));
    return [`${defect.name}:${nameOfPlace(place)}`, ...linesOf(changed)].join('\n');
  };
}

/** One line for each outcome of each rule: `  fail create.keeps-field: brand.name`. */
export function linesOf(cases: readonly CaseResult[]): string[] {
  const byRule = Map.groupBy(cases, ({ outcome, rule }) => `${outcome} ${rule}`);
  return [...byRule]
    .map(
      ([key, of]) =>
        `  ${key}: ${of
          .map(({ id, rule }) => id.slice(rule.length + 1))
          .sort()
          .join(' ')}`,
    )
    .sort();
}

/** Returns the paragraphs of a committed table by their first lines. */
export function readTable(table: keyof typeof TABLES): Map<string, string> {
  const paragraphs = readFileSync(TABLES[table], 'utf8')
    .trim()
    .split(/\n(?! )/);
  return new Map(paragraphs.map((paragraph) => [nameOf(paragraph), paragraph]));
}

/** Returns the lines that differ between two paragraphs of one trial. */
export function differencesOf(known: string | undefined, found: string): string[] {
  const [before, after] = [known ?? '', found].map((paragraph) => paragraph.split('\n'));
  return [
    ...(before ?? []).filter((line) => !after?.includes(line)).map((line) => `-${line}`),
    ...(after ?? []).filter((line) => !before?.includes(line)).map((line) => `+${line}`),
  ];
}

export function nameOf(paragraph: string): string {
  return paragraph.split('\n')[0] ?? '';
}
