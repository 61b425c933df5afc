import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { start } from '../../../testing/command.ts';
import { startRecordingProxy } from '../../../testing/proxies/recording-proxy.ts';
import { createRandom } from '../../../testing/services/draw.ts';
import { opened } from '../../../testing/services/http-server.ts';
import { BASE, type Service } from '../../../testing/services/service.ts';
import { ZOO, type ZooService } from '../../../testing/services/services.ts';
import { compare, isNamed, type Kit } from './kit.ts';

/** The records after a run was killed and cleaned up. */
export type KilledRow = {
  /** `express after 212 requests` */
  readonly name: string;
  readonly removed: number;
  /** Records that `clean` can't distinguish from those of others. It printed their names. */
  readonly kept: number;
  readonly problems: readonly string[];
};

export type InterruptOptions = {
  readonly times: number;
  readonly seed: number;
  readonly models?: string;
  readonly say: (line: string) => void;
};

/** Texts, a list of values, a link, and an order with lines. */
const FEW_MODELS = 'brand,locker,lockerType,stockOrder';

/** Kills runs on the services of the zoo in turn, each after a random number of requests, then cleans up. */
export async function proveKilled(
  kit: Kit,
  { times, seed, say, models = FEW_MODELS }: InterruptOptions,
): Promise<KilledRow[]> {
  const random = createRandom(seed);
  const whole = new Map<string, number>();
  const rows: KilledRow[] = [];
  for (let time = 0; time < times; time++) {
    const service = ZOO[time % ZOO.length];
    if (!service) continue;
    const all = whole.get(service.name) ?? (await countRequests(kit, service, models));
    whole.set(service.name, all);
    const row = await tryKilled(kit, service, {
      requests: 1 + Math.floor(random() * (all - 1)),
      tag: `k${seed}x${time}`,
      models,
    });
    rows.push(row);
    const state = row.problems.length === 0 ? 'as before' : row.problems.join('; ');
    say(`${row.name.padEnd(34)} ${row.removed} removed, ${row.kept} kept: ${state}`);
  }
  return rows;
}

/** Counts the requests of a whole run. */
async function countRequests(kit: Kit, { start }: ZooService, models: string): Promise<number> {
  await using service = await opened(start());
  await using front = await opened(startCounting(service, Number.POSITIVE_INFINITY));
  await kit.check(front.url, ['--models', models]);
  return front.asked.length;
}

async function tryKilled(
  kit: Kit,
  { name, start: startService }: ZooService,
  { models, requests, tag }: { readonly models: string; readonly requests: number; readonly tag: string },
): Promise<KilledRow> {
  let kill = () => {};
  await using service = await opened(startService());
  await using front = await opened(startCounting(service, requests, () => kill()));
  const [before, shown] = [service.live(), await lists(service, models)];
  const journal = kit.file(`record-model-leftovers-${tag}.jsonl`);
  const started = start(dirname(journal), ['check', front.url, '--models', models, '--tag', tag]);
  kill = () => void started.child.kill('SIGKILL');
  const ended = await started.ended;
  await Promise.all(front.under);
  const { code, text } = existsSync(journal) ? await kit.clean(journal) : { code: 0, text: '' };
  const kept = namesIn(text, /^(\w+\/\S+) (?:was kept|could not be removed)/gm);
  const problems = compare(service, before, (id) => isNamed(id, kept));
  if (ended.code !== -1) problems.push(`the run ended with exit code ${ended.code} before it was killed`);
  if (code !== (kept.length > 0 ? 1 : 0)) problems.push(`clean: exit ${code}: ${text.trim().slice(-300)}`);
  const changed = (await lists(service, models)).filter((row) => !shown.includes(row) && !isOf(row, kept));
  if (changed.length > 0) problems.push(`${changed.length} records differ, such as ${changed[0]}`);
  const removed = namesIn(text, /^removed (\S+)$/gm).length;
  return { name: `${name} after ${requests} requests`, removed, kept: kept.length, problems };
}

export function describeKilled(rows: readonly KilledRow[]): string {
  const sum = (of: (row: KilledRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const good = rows.filter(({ problems }) => problems.length === 0).length;
  return `kill: ${good} of ${rows.length} runs that were killed left the rows of before (${sum((row) => row.removed)} removed, ${sum((row) => row.kept)} kept and named)`;
}

/** A proxy that reports the nth request to a service, and still forwards it. */
async function startCounting(service: Service, requests: number, last = () => {}) {
  const under = new Set<Promise<unknown>>();
  return {
    under,
    ...(await startRecordingProxy(service.url, (asked, index, { perform }) => {
      if (index + 1 === requests) last();
      const done = perform(asked).catch(() => new Error('closed'));
      under.add(done);
      void done.then(() => under.delete(done));
      return done;
    })),
  };
}

/** The rows of the models, as texts with the model before them. */
async function lists(service: Service, models: string): Promise<string[]> {
  const all = models.split(',').map(async (model) => {
    // The service ends connections that were idle for long, also at the moment when one is used again.
    const ask = () => fetch(`${service.url}${BASE}/${model}`);
    const answer = await ask().catch(ask);
    const body = (await answer.json()) as object;
    const rows: unknown[] = Array.isArray(body) ? body : (Object.values(body).find(Array.isArray) ?? []);
    return rows.map((row) => `${model} ${JSON.stringify(row)}`);
  });
  return (await Promise.all(all)).flat();
}

function isOf(row: string, names: readonly string[]): boolean {
  const [, model, id] = /^(\w+) .*?"id":(\d+)/.exec(row) ?? [];
  return isNamed(`${model}/${id}`, names);
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}
