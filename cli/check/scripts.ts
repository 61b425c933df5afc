import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Cause, causesOf } from '../../conformance/report/causes.ts';
import { plural } from '../../conformance/report/text.ts';
import { type Kept, keepExchanges, renderRepro, SCRIPT_MARK } from '../../conformance/repro/repro.ts';
import type { CaseResult, Results } from '../../conformance/results/results.ts';
import { type RunOptions, runSuite, Unreachable } from '../../conformance/run.ts';
import { checkPlace, PRIVATE, saveFile } from '../../spec/files/save-file.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import type { AccessOptions } from '../connection/connection-options.ts';
import { sayError } from '../terminal/console.ts';
import { terminal } from '../terminal/terminal.ts';

/** Maximum number of causes that get a script. */
const MOST_SCRIPTS = 20;

/** Maximum number of milliseconds that a script can take. */
const LONGEST = 60_000;

const OWN_NAME = /^\d\d-.*\.mjs$/;

type ScriptOptions = AccessOptions & { readonly repro?: string };

/** Throws UsageError before the first request if the scripts can't be written to a directory. */
export function checkScriptPlace(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) checkPlace(directory, '--repro');
  else if (!found.isDirectory())
    throw new UsageError(`--repro can't write to ${directory}, which is a file. Pass a directory.`);
}

/**
 * Writes a script for each of the first causes, and returns the results with the names of the scripts. A script is kept
 * only if it shows the failure when it runs.
 */
export async function writeScripts(
  results: Results,
  kept: readonly Kept[],
  suite: RunOptions,
  options: ScriptOptions,
  onCause: (line: string) => void,
): Promise<Results> {
  const directory = options.repro ?? '';
  const causes = causesOf(results.cases).filter(isForScript);
  const scripts = new Map<string, string>();
  const leftovers = new Set(results.leftovers);
  try {
    mkdirSync(directory, { recursive: true });
    removeOwn(directory);
    for (const [index, { first }] of causes.slice(0, MOST_SCRIPTS).entries()) {
      if (suite.signal?.aborted) break;
      onCause(`Writing scripts to ${directory}: cause ${index + 1} of ${causes.length}`);
      const path = join(directory, nameOf(first, index + 1));
      const alone = await runAlone(first, suite);
      for (const id of alone?.results.leftovers ?? []) leftovers.add(id);
      const texts = [
        ...(alone ? renderRepro(alone.result, alone.results, alone.kept, suite.references) : []),
        ...renderRepro(first, results, kept, suite.references),
      ];
      if (await keepFirst(path, texts, options, leftovers)) scripts.set(first.id, path);
    }
  } catch (error) {
    sayError(
      error instanceof UsageError
        ? error.message
        : `--repro can't write to ${directory} because ${whyFailed(error)}.`,
    );
  }
  return {
    ...results,
    leftovers: [...leftovers],
    cases: results.cases.map((result) => {
      const script = scripts.get(result.id);
      return script === undefined ? result : { ...result, script };
    }),
  };
}

/** `3 of 4 causes have a script in repro; the others don't show in a few requests`. */
export function scriptsLine({ cases }: Results, directory: string): string {
  const causes = causesOf(cases).filter(isForScript);
  const shown = causes.filter(({ first }) => first.script !== undefined);
  const others = causes.length - shown.length;
  const line = `${shown.length} of ${plural(causes.length, 'cause')} ${shown.length === 1 ? 'has' : 'have'} a script in ${directory}`;
  return others === 0 ? line : `${line}. To see ${others === 1 ? 'the other' : 'the others'}, use --case`;
}

/** Removes the scripts of an earlier run. Other files stay. */
function removeOwn(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (OWN_NAME.test(name) && statSync(path).isFile() && readFileSync(path, 'utf8').startsWith(SCRIPT_MARK))
      rmSync(path);
  }
}

function isForScript({ standing }: Cause): boolean {
  return standing === 'fail' || standing === 'blocked';
}

function nameOf({ id }: CaseResult, number: number): string {
  return `${String(number).padStart(2, '0')}-${id.replaceAll(/[^\w.-]+/g, '_').slice(0, 80)}.mjs`;
}

/** Runs a case again by itself, with complete responses. Returns undefined if it does not fail then. */
async function runAlone({ id }: CaseResult, suite: RunOptions) {
  const { kept, target } = keepExchanges(suite.target, 'all');
  const again = {
    ...suite,
    target,
    selection: { cases: [id] },
    baseline: [],
    explore: 0,
    failFast: false,
    retry: false,
  };
  try {
    for await (const event of runSuite(again)) {
      if (event.type !== 'end') continue;
      const { results } = event;
      const result = results.cases.find((one) => one.id === id && ['fail', 'blocked'].includes(one.outcome));
      return result && { kept, result, results };
    }
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
  }
  return undefined;
}

/** Writes the first text that shows the failure as a script. Returns false if none does. */
async function keepFirst(
  path: string,
  texts: readonly string[],
  options: ScriptOptions,
  leftovers: Set<string>,
): Promise<boolean> {
  for (const text of texts) {
    saveFile(path, text, PRIVATE);
    const { code, stdout } = await runScript(path, options);
    for (const [, place = ''] of stdout.matchAll(/^Not deleted: (.+)$/gm))
      leftovers.add(place.split('/').slice(-2).join('/'));
    if (code === 1) return true;
  }
  rmSync(path, { force: true });
  return false;
}

function runScript(path: string, { apiKey, basic, bearer, ca, header = [], insecure }: ScriptOptions) {
  const env = {
    ...terminal().env,
    ...(apiKey === undefined ? {} : { RECORD_MODEL_API_KEY: apiKey }),
    ...(basic === undefined ? {} : { RECORD_MODEL_BASIC: basic }),
    ...(bearer === undefined ? {} : { RECORD_MODEL_BEARER: bearer }),
    ...(ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: ca }),
    ...(insecure ? { NODE_TLS_REJECT_UNAUTHORIZED: '0' } : {}),
  };
  const flags = ['--write', ...header.flatMap((line) => ['--header', line])];
  return new Promise<{ code: unknown; stdout: string }>((resolve) => {
    const child = execFile(process.execPath, [path, ...flags], { env, timeout: LONGEST }, (_, stdout) =>
      resolve({ code: child.exitCode, stdout }),
    );
  });
}
