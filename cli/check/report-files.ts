import { resolve } from 'node:path';
import { renderExchanges } from '../../conformance/report/exchanges.ts';
import { type FormatName, RENDERERS } from '../../conformance/report/report.ts';
import { renderTerminal } from '../../conformance/report/terminal.ts';
import { type Known, renderBaseline } from '../../conformance/results/compose-results.ts';
import { earlyEnd, type Results } from '../../conformance/results/results.ts';
import { plural } from '../../conformance/results/text.ts';
import { checkFile, PRIVATE, saveFile } from '../../spec/files/save-file.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { hasColors, say, sayError, terminal } from '../terminal/terminal.ts';

/** The files that a run writes. */
export type ReportOptions = Partial<Record<FormatName, string>> & {
  readonly case?: readonly string[];
  readonly details?: true;
  readonly writeBaseline?: string;
  readonly manifest: string;
};

/** Throws UsageError before the first request if a report file can't be written. */
export function checkReportFiles(options: ReportOptions): void {
  const flags = new Map<string, string>();
  for (const [flag, path] of filesOf(options)) {
    if (path === '-')
      throw new UsageError(
        `${flag} can't write to standard output, which has the report for people. Pass a file.`,
      );
    // Most runs leave no records behind.
    checkFile(path, flag, flag !== '--manifest');
    const other = flags.get(resolve(path));
    if (other !== undefined)
      throw new UsageError(`${other} and ${flag} have the same file ${path}. Pass a different file to each.`);
    flags.set(resolve(path), flag);
  }
}

function filesOf({ manifest, writeBaseline, ...files }: ReportOptions): [flag: string, path: string][] {
  const formats = Object.keys(RENDERERS).map((name) => [name, files[name as FormatName]] as const);
  return [...formats, ['write-baseline', writeBaseline] as const, ['manifest', manifest] as const].flatMap(
    ([name, path]): [string, string][] => (path === undefined ? [] : [[`--${name}`, path]]),
  );
}

/** The data that a report needs in addition to the results. */
export type Reported = {
  readonly baseline: readonly Known[] | undefined;
  /** Why the target might not be this API; only a few cases were planned then. */
  readonly warning: string | undefined;
};

/**
 * Prints a run and writes its files. Returns false after reporting the error if a file could not be written. The list of
 * remaining records is written first.
 */
export function reportRun(results: Results, options: ReportOptions, reported: Reported): boolean {
  const { env, stdout } = terminal();
  const details = options.details === true || options.case !== undefined;
  stdout.write(renderTerminal(results, { color: hasColors(stdout), details }));
  if (options.case !== undefined) stdout.write(renderExchanges(results));
  if (env.GITHUB_ACTIONS === 'true') stdout.write(RENDERERS.github(results));
  const saved = [saveManifest(options.manifest, results.target, results.leftovers)];
  for (const [format, render] of Object.entries(RENDERERS)) {
    const path = options[format as FormatName];
    if (path !== undefined) saved.push(trySave(path, () => render(results)));
  }
  if (options.writeBaseline !== undefined) saved.push(saveBaseline(options.writeBaseline, results, reported));
  return saved.every(Boolean);
}

/** Lists the records that could not be removed, if there are any, in a file. */
export function saveManifest(path: string, target: string, leftovers: readonly string[]): boolean {
  if (leftovers.length === 0) return true;
  const isSaved = trySave(path, () => `${JSON.stringify({ target, leftovers }, null, 2)}\n`);
  say(`${plural(leftovers.length, 'record')} not removed: ${isSaved ? `see ${path}` : leftovers.join(', ')}`);
  return isSaved;
}

/** Writes the baseline. A partial run has none, because it would miss the cases that did not run. */
function saveBaseline(path: string, results: Results, { baseline, warning }: Reported): boolean {
  const early = earlyEnd(results);
  const why = early === undefined ? warning && 'the responses contain no records' : `the run ${early}`;
  const inNinetyDays = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  if (why === undefined) return trySave(path, () => renderBaseline(results, inNinetyDays, baseline));
  say(`No baseline was written to ${path}, because ${why}.`);
  return true;
}

/** Writes a file and reports an error, so that the other files are still written. */
function trySave(path: string, render: () => string): boolean {
  try {
    saveFile(path, render(), PRIVATE);
    return true;
  } catch (error) {
    sayError(error instanceof UsageError ? error.message : `${path} can't be written: ${error}`);
    return false;
  }
}
