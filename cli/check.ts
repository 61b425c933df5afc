import { loadBaseline, renderBaseline } from '../conformance/baseline.ts';
import { loadFrozenRules } from '../conformance/frozen-rules.ts';
import { summarizeLearned } from '../conformance/learn/render-learned.ts';
import { exitCode, type Results } from '../conformance/outcome.ts';
import { planRun, type Selection } from '../conformance/plan.ts';
import { curlLine } from '../conformance/report/curl.ts';
import { FORMATS, type FormatName } from '../conformance/report/formats.ts';
import { renderTerminal } from '../conformance/report/terminal.ts';
import { runSuite } from '../conformance/run.ts';
import { profileName } from '../spec/profile.ts';
import { loadRequirements } from '../spec/requirements.ts';
import { checkDirectory, saveFile } from '../spec/save-file.ts';
import { UsageError, unexpected } from '../spec/usage-error.ts';
import { bindingsOf, type ConnectionOptions, connect, learnFrom } from './connection.ts';
import { endInterrupted, hasColors, onSignal, say } from './console.ts';
import { loadPlan, type Plan, type PlanOptions } from './options.ts';
import { createProgress } from './progress.ts';
import { listRules } from './rules.ts';

type CheckOptions = PlanOptions &
  ConnectionOptions &
  Partial<Record<FormatName, string>> & {
    models?: string[];
    area?: string[];
    rule?: string[];
    level?: string[];
    case?: string;
    failFast?: true;
    listRules?: true;
    baseline?: string;
    writeBaseline?: string;
    manifest: string;
  };

/** Checks a service, learning its profile first where none is given. */
export async function checkService(baseUrl: string | undefined, options: CheckOptions): Promise<void> {
  if (options.listRules) return listRules();
  if (baseUrl === undefined)
    throw new UsageError('the base URL is missing; expected one such as http://127.0.0.1:4010');
  let selection = selectionOf(options);
  const plan = loadPlan(options);
  checkSelection(plan, selection, options.profile === undefined);
  for (const path of [
    ...Object.keys(FORMATS).map((name) => options[name as FormatName]),
    options.writeBaseline,
    options.manifest,
  ])
    if (path !== undefined) checkDirectory(path);
  const baseline = options.baseline === undefined ? [] : loadBaseline(options.baseline);
  const requirements = loadRequirements();
  const bindings = bindingsOf(options, plan);
  const connected = connect(baseUrl, options);
  const { readOnly, target } = connected;
  const stop = new AbortController();
  onSignal(() => stop.abort());
  const progress = createProgress();
  try {
    let { profile } = plan;
    let name = profileName(options.profile);
    let left: readonly string[] = [];
    if (options.profile === undefined) {
      const learned = await learnFrom({ ...connected, signal: stop.signal }, plan, bindings);
      if (stop.signal.aborted) {
        saveManifest(options.manifest, target.url, learned.leftovers);
        return endInterrupted(learned.leftovers);
      }
      say(summarizeLearned(learned));
      if (learned.doubt !== undefined) {
        say(`NOT CONFORMANT: what answers at ${target.url} shows no records: ${learned.doubt}`);
        say('Look at the base URL first. Only lists are tried; with --profile FILE every case is.');
        selection = { ...places(selection), rules: ['operations.list'] };
      }
      ({ profile } = learned);
      name = 'learned';
      left = learned.leftovers;
    }
    const suite = runSuite({
      ...plan,
      ...connected,
      profile,
      profileName: name,
      requirements,
      selection,
      baseline,
      frozenRules: loadFrozenRules(),
      bindings,
      failFast: options.failFast === true,
      keepExchanges: options.case !== undefined,
      signal: stop.signal,
    });
    for await (const event of suite) progress.show(event, target);
    const found = progress.results();
    const results = { ...found, leftovers: [...left, ...found.leftovers] };
    report(results, options);
    process.exitCode = exitCode(results);
    if (stop.signal.aborted) endInterrupted(results.leftovers);
  } finally {
    progress.clear();
    await target.close();
  }

  function report(results: Results, { manifest, writeBaseline, ...files }: CheckOptions): void {
    for (const [format, { render }] of Object.entries(FORMATS)) {
      const path = files[format as FormatName];
      if (path !== undefined) saveFile(path, render(results));
    }
    if (writeBaseline !== undefined) saveFile(writeBaseline, renderBaseline(results.cases, inNinetyDays()));
    saveManifest(manifest, results.target, results.leftovers);
    process.stdout.write(renderTerminal(results, { color: hasColors(process.stdout), requirements }));
    if (files.case !== undefined) process.stdout.write(renderExchanges(results));
    if (process.env.GITHUB_ACTIONS === 'true') process.stdout.write(FORMATS.github.render(results));
    if (readOnly && options.readOnly === undefined)
      say(
        'Only read: the target is not on this machine. --write checks the rest, on records it makes and removes.',
      );
  }
}

/**
 * Says before the first request what no profile makes right. A profile that is still to be learned may add details
 * to cases, but neither rules nor models.
 */
function checkSelection(plan: Plan, selection: Selection, learns: boolean): void {
  const { cases = [], ...others } = selection;
  if (!learns) {
    planRun(plan, selection);
    return;
  }
  const ids = planRun(plan, others)
    .flat()
    .map(({ id }) => id);
  const placeOf = (id: string) => /^[^:]*:[^.=]*/.exec(id)?.[0];
  for (const id of cases)
    if (!ids.some((known) => placeOf(known) === placeOf(id)))
      throw new UsageError(unexpected('--case', id, ids));
}

function saveManifest(path: string, target: string, leftovers: readonly string[]): void {
  if (leftovers.length > 0) saveFile(path, `${JSON.stringify({ target, leftovers }, null, 2)}\n`);
}

function selectionOf({ area, case: id, level, models, rule }: CheckOptions): Selection {
  return {
    ...(models ? { models } : {}),
    ...(area ? { areas: area } : {}),
    ...(rule ? { rules: rule } : {}),
    ...(level ? { levels: level } : {}),
    ...(id === undefined ? {} : { cases: [id] }),
  };
}

/** The models and areas of a selection, whatever rules it names. */
function places({ areas, models }: Selection): Selection {
  return { ...(models ? { models } : {}), ...(areas ? { areas } : {}) };
}

/** The exchanges of a single case, as they went over the wire. */
function renderExchanges({ cases }: Results): string {
  return cases
    .flatMap(({ exchanges }) => exchanges ?? [])
    .map((exchange, index) => {
      const { request, response } = exchange;
      const headers = (of: Readonly<Record<string, string>>) =>
        Object.entries(of).map(([name, value]) => `${name}: ${value}`);
      return [
        `\n== exchange ${index + 1}`,
        curlLine(exchange),
        `> ${request.method} ${request.url}`,
        ...headers(request.headers).map((line) => `> ${line}`),
        ...(request.body === undefined ? [] : [`> ${request.body}`]),
        `< ${response.status}`,
        ...headers(response.headers).map((line) => `< ${line}`),
        `< ${response.body}`,
        '',
      ].join('\n');
    })
    .join('');
}

function inNinetyDays(): string {
  return new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
}
