import { expect, test } from 'vitest';
import { createWireCheck } from '../../conformance/assert/agreement.ts';
import type { CaseResult } from '../../conformance/results/results.ts';
import { loadContract } from '../../spec/contract.ts';
import { demo } from '../../testing/demo.ts';
import { createForks, runOn } from './run-on.ts';
import { drawSample, listTrials } from './trials.ts';

const contract = loadContract();

/** A reader looks at the last exchange of a failure, and at the command to send it again, before anything else. */
test('the last exchange of a failed case contains the found value', async () => {
  const fork = await createForks(contract, demo);
  const trials = listTrials(contract).filter(({ place }) => place.model.name === 'locker');
  const check = createWireCheck(contract);
  const hidden = new Set<string>();
  let shown = 0;
  for (const { defect, place } of drawSample(trials, 200, 1)) {
    const selection = { models: ['locker'], rules: defect.rules };
    for (const result of await runOn(await fork(defect, place), { ...contract, check, selection })) {
      const value = valueFound(result);
      if (value === undefined) continue;
      const { body, headers } = result.exchanges?.at(-1)?.response ?? {};
      const last = `${JSON.stringify(headers)}${body}`;
      if (last.includes(value) || last.includes(String(JSON.parse(value)))) shown++;
      else hidden.add(`${result.rule}: ${result.message} found ${value}`);
    }
  }
  expect([...hidden]).toEqual([]);
  expect(shown).toBeGreaterThan(25);
});

/** Returns the found value if it is a text or number of a response, as the response has it. */
function valueFound({ found, outcome }: CaseResult): string | undefined {
  return outcome === 'fail' && found && /^("[^"\\]{2,60}"|\d{2,})$/.test(found) ? found : undefined;
}
