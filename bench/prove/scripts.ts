import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeScripts } from '../../cli/check/scripts.ts';
import { createInstruments } from '../../conformance/plan/case-setup.ts';
import { causesOf } from '../../conformance/report/causes.ts';
import { keepExchanges } from '../../conformance/repro/repro.ts';
import type { Results } from '../../conformance/results/results.ts';
import { type RunOptions, runSuite } from '../../conformance/run.ts';
import { createTarget } from '../../conformance/target/target.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { nameOfPlace } from '../../mock/defects/defects.ts';
import { listen } from '../../mock/http/server.ts';
import { createMock } from '../../mock/mock.ts';
import type { Contract } from '../../spec/contract.ts';
import type { PlacedOnce } from './trials.ts';

/** Percent of the defects whose first cause gets a script, at least. */
export const LEAST_SCRIPTS = 85;

/**
 * `shown`: the script of the first cause finds the fault, and not in the healthy service. `wrong`: it finds the fault
 * there too, or can't decide. `none`: the cause has no script. `unseen`: the run of one model finds no failure.
 */
export type ScriptVerdict = {
  readonly name: string;
  readonly verdict: 'shown' | 'wrong' | 'none' | 'unseen';
  readonly said: string;
};

/** Returns a function that runs the suite on a defect, and the script of the first cause on both services. */
export async function createScriptTrials(
  contract: Contract,
  fixtures: Fixtures,
): Promise<(trial: PlacedOnce) => Promise<ScriptVerdict>> {
  const full = await createMock({ ...contract, fixtures });
  const empty = await createMock(contract);
  const instruments = createInstruments(contract);
  return async ({ defect, place }) => {
    const base = defect.onEmpty ? empty : full;
    const name = [defect.name, nameOfPlace(place)].join(':');
    const options = { port: 0, host: '127.0.0.1' };
    const faulty = await listen(await base.fork(defect.decorate(place, contract)), options);
    const healthy = await listen(await base.fork(), options);
    const directory = mkdtempSync(join(tmpdir(), 'record-model-scripts-'));
    const target = createTarget({ baseUrl: faulty.url });
    const { kept, target: recording } = keepExchanges(target, 'writes');
    const suite = {
      ...contract,
      instruments,
      looks: [0],
      isDisposable: true,
      profileName: 'proof',
      selection: { models: [place.model.name] },
      target: recording,
    };
    try {
      const results = await resultsOf(suite);
      const [cause] = causesOf(results.cases).filter(({ standing }) => standing === 'fail');
      if (cause === undefined) return { name, verdict: 'unseen', said: '' };
      const only = { ...results, cases: cause.cases };
      const written = await writeScripts(
        only,
        kept,
        { ...suite, target },
        { repro: directory, timeout: 10_000 },
        () => {},
      );
      const { script } = written.cases.find(({ id }) => id === cause.first.id) ?? {};
      if (script === undefined) return { name, verdict: 'none', said: cause.first.id };
      const { code, stdout } = await runScript(script, healthy.url);
      return { name, verdict: code === 0 ? 'shown' : 'wrong', said: stdout };
    } finally {
      rmSync(directory, { recursive: true });
      await Promise.all([faulty.close(), healthy.close(), target.close()]);
    }
  };
}

async function resultsOf(suite: RunOptions): Promise<Results> {
  for await (const event of runSuite(suite)) if (event.type === 'end') return event.results;
  throw new Error('the run ended without results');
}

function runScript(path: string, url: string): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [path, url], (_, stdout) =>
      resolve({ code: child.exitCode, stdout }),
    );
  });
}
