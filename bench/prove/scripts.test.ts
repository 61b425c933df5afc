import { expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createScriptTrials } from './scripts.ts';
import { listTrials } from './trials.ts';

const contract = { catalogue, references, profile: DEFAULT_PROFILE };

test.each([
  'operations.missing',
  'create.drops-field',
  'update.ignores-field',
  'delete.does-nothing',
  'list.pages-overlap',
  'list.wrong-total',
  'fields.wrong-type',
  'required.not-asked-for',
  'retrieve.answers-neighbor',
])(
  'a script finds %s, and not in the healthy service; `npm run prove:scripts` tries all kinds',
  async (kind) => {
    const tryScript = await createScriptTrials(contract, demo);
    const trials = listTrials(contract, kind);
    const trial = trials[Math.floor(trials.length / 2)];
    expect(trial && (await tryScript(trial))).toMatchObject({ verdict: 'shown' });
  },
);
