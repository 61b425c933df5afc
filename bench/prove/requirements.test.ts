import { expect, test } from 'vitest';
import { createWireCheck } from '../../conformance/assert/agreement.ts';
import { STATED } from '../../conformance/rules/rules.ts';
import { loadContract } from '../../spec/contract.ts';
import { loadRequirements } from '../../spec/requirements.ts';
import { demo } from '../../testing/demo.ts';
import { casesOf, createForks, resultsOn } from './run-on.ts';
import { drawSample, listTrials } from './trials.ts';

const contract = loadContract();
const check = createWireCheck(contract);
const requirements = loadRequirements();
const forks = createForks(contract, demo);
const trials = listTrials(contract);
/** The number of defects to try for each statement. */
const TRIED = 4;

const ruleIds = new Set(STATED.map(({ id }) => id));
const statements = [...requirements.values()].map(({ id, rules }) => {
  return { id, rules: rules.filter((rule) => ruleIds.has(rule)) };
});

test.each(statements.filter(({ rules }) => rules.length > 0))(
  'the statement $id is broken on services with its defects',
  async ({ id, rules }) => {
    const about = trials.filter(({ defect, place }) => {
      const selection = { models: [place.model.name], rules };
      return rules.includes(defect.rules[0] ?? '') && casesOf(contract, selection).length > 0;
    });
    const states: unknown[] = [];
    for (const { defect, place } of drawSample(about, TRIED, 1)) {
      if (states.includes('broken')) break;
      const selection = { models: [place.model.name], rules };
      const service = await (await forks)(defect, place);
      const results = await resultsOn(service, { ...contract, check, requirements, selection });
      states.push(results.requirements.find((row) => row.id === id)?.state);
    }
    expect(states).toContain('broken');
  },
);
