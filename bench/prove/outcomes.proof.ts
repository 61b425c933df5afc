import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createWireCheck } from '../../conformance/assert/agreement.ts';
import type { CaseResult } from '../../conformance/results/results.ts';
import { sideBySide } from '../../conformance/target/exchange.ts';
import type { Defect } from '../../mock/defects/defect.ts';
import { nameOfPlace } from '../../mock/defects/defects.ts';
import type { Mock } from '../../mock/mock.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo } from '../../testing/demo.ts';
import { createForks, runOn } from './run-on.ts';
import { listTrials, type PlacedOnce } from './trials.ts';

/** The number of places where each kind of defect is tried. */
const PLACES = 2;

/** The table holds the verdicts still while the code of the suite moves. */
test('each kind of defect changes the outcomes of the cases that outcomes.txt lists', async () => {
  const contract = loadContract();
  const check = createWireCheck(contract);
  const fork = await createForks(contract, demo);
  const run = async ({ name }: Model, mock: Promise<Mock>) =>
    runOn(await mock, { ...contract, check, selection: { models: [name] } });
  /** The outcomes of each model without a defect. */
  const healthy = new Map<string, ReadonlyMap<string, string>>();
  const outcomesWithout = async (model: Model, defect: Defect) => {
    const key = `${model.name} ${defect.onEmpty}`;
    const known = healthy.get(key);
    const outcomes =
      known ?? new Map((await run(model, fork(defect))).map(({ id, outcome }) => [id, outcome]));
    healthy.set(key, outcomes);
    return outcomes;
  };
  // In the order of hashes, so that the places stay the same when others are added.
  const mixed = listTrials(contract).toSorted((one, other) => (hashOf(one) < hashOf(other) ? -1 : 1));
  const kinds = Map.groupBy(mixed, ({ defect }) => defect).values();
  // Some rules wait, so several trials run at once.
  const trials = [...kinds].flatMap((places) => places.slice(0, PLACES));
  const paragraphs = await sideBySide(trials, async ({ defect, place }) => {
    const before = await outcomesWithout(place.model, defect);
    const cases = await run(place.model, fork(defect, place));
    const changed = cases.filter(({ id, outcome }) => outcome !== before.get(id));
    return [nameOf({ defect, place }), ...linesOf(changed)].join('\n');
  });
  await expect(`${paragraphs.join('\n')}\n`).toMatchFileSnapshot('outcomes.txt');
});

const nameOf = ({ defect, place }: PlacedOnce) => `${defect.name}:${nameOfPlace(place)}`;
const hashOf = (trial: PlacedOnce) => hash('sha1', nameOf(trial));

/** One line for each outcome of each rule: `  fail create.keeps-field: brand.name`. */
function linesOf(cases: readonly CaseResult[]): string[] {
  const byRule = Map.groupBy(cases, ({ outcome, rule }) => `  ${outcome} ${rule}: `);
  const placesOf = (of: readonly CaseResult[]) => of.map(({ id, rule }) => id.slice(rule.length + 1)).sort();
  return [...byRule].map(([start, of]) => start + placesOf(of).join(' ')).sort();
}
