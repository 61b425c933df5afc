import { resolve } from 'node:path';
import { renderExchanges } from '../../conformance/report/exchanges/exchanges.ts';
import { FORMATS, type FormatName } from '../../conformance/report/formats.ts';
import { RENDERERS } from '../../conformance/report/report.ts';
import { renderTerminal } from '../../conformance/report/terminal.ts';
import { plural } from '../../conformance/report/text.ts';
import { type KnownFailure, renderBaseline } from '../../conformance/results/baseline.ts';
import type { Results } from '../../conformance/results/results.ts';
import { earlyEnd } from '../../conformance/results/verdict.ts';
import { checkFile, checkPlace, saveFile } from '../../spec/files/save-file.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Requirement } from '../../spec/requirements.ts';
import { hasColors, say } from '../terminal/console.ts';
import { terminal } from '../terminal/terminal.ts';

/** Where a run is written to. */
export type ReportOptions = Partial<Record<FormatName, string>> & {
  readonly case?: string;
  readonly writeBaseline?: string;
  readonly manifest: string;
};

/** Says before the first request which files can't be written: a run is too long to lose its reports. */
export function checkReportFiles(options: ReportOptions): void {
  const flags = new Map<string, string>();
  for (const [flag, path] of filesOf(options)) {
    if (path === '-')
      throw new UsageError(`${flag} is "-"; expected a file: standard output has the report for people`);
    // Most runs leave nothing behind to list.
    if (flag === '--manifest') checkPlace(path, flag);
    else checkFile(path, flag);
    const other = flags.get(resolve(path));
    if (other !== undefined)
      throw new UsageError(`${other} and ${flag} both name ${path}; expected a file for each`);
    flags.set(resolve(path), flag);
  }
}

function filesOf({ manifest, writeBaseline, ...files }: ReportOptions): [flag: string, path: string][] {
  return [
    ...Object.keys(FORMATS).map((name): [string, string | undefined] => [
      `--${name}`,
      files[name as FormatName],
    ]),
    ['--write-baseline', writeBaseline] satisfies [string, string | undefined],
    ['--manifest', manifest] satisfies [string, string],
  ].filter((file): file is [string, string] => file[1] !== undefined);
}

/** What a report needs beside the results. */
export type Reported = {
  readonly requirements: ReadonlyMap<string, Requirement>;
  readonly baseline: readonly KnownFailure[];
  /** Why what answers may not be the service; only a few cases were planned then. */
  readonly doubt: string | undefined;
};

/**
 * Prints a run and writes its files; false when one of them could not be written, which is said. What a person may
 * need to clean up comes first.
 */
export function reportRun(results: Results, options: ReportOptions, reported: Reported): boolean {
  const { requirements } = reported;
  const { env, stdout } = terminal();
  stdout.write(renderTerminal(results, { color: hasColors(stdout), requirements }));
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

/** Lists what could not be removed, if there is anything, and says where. */
export function saveManifest(path: string, target: string, leftovers: readonly string[]): boolean {
  if (leftovers.length === 0) return true;
  const isSaved = trySave(path, () => `${JSON.stringify({ target, leftovers }, null, 2)}\n`);
  say(
    `${plural(leftovers.length, 'record')} could not be removed: ${isSaved ? `${path} lists them` : leftovers.join(', ')}`,
  );
  return isSaved;
}

/** A part of a run would leave out what was not tried. */
function saveBaseline(path: string, results: Results, { baseline, doubt }: Reported): boolean {
  const early = earlyEnd(results);
  const why = early === undefined ? doubt && 'what answers shows no records' : `the run ${early}`;
  if (why === undefined) return trySave(path, () => renderBaseline(results.cases, inNinetyDays(), baseline));
  say(`No baseline is written to ${path}: ${why}`);
  return true;
}

/** What goes wrong with one file is no reason to lose the others. */
function trySave(path: string, render: () => string): boolean {
  try {
    saveFile(path, render());
    return true;
  } catch (error) {
    say(
      `record-model: ${error instanceof UsageError ? error.message : `${path} can't be written: ${error}`}`,
    );
    return false;
  }
}

function inNinetyDays(): string {
  return new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
}
