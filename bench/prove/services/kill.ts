import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { start } from '../../../testing/command.ts';
import { startRecordingProxy } from '../../../testing/proxies/recording-proxy.ts';
import { createRandom } from '../../../testing/services/draw.ts';
import { opened } from '../../../testing/services/http-server.ts';
import type { Service } from '../../../testing/services/service.ts';
import { FOREIGN_SERVICES, type ForeignService } from '../../../testing/services/services.ts';
import { compare, isNamed, type Kit, type Tried } from './kit.ts';

export type KilledRow = Tried & {
  /** The records that were removed after a run was killed. */
  readonly removed: number;
};

/** Texts, a list of values, a link, and an order with lines. */
const MODELS = 'brand,locker,lockerType,stockOrder';
/** Fewer requests than a whole run sends. */
const MOST_REQUESTS = 2000;

/** Kills runs on the foreign services in turn, each after a random number of requests, then cleans up. */
export async function* proveKilled(kit: Kit, times: number, seed: number): AsyncGenerator<KilledRow> {
  const random = createRandom(seed);
  for (let time = 0; time < times; time++) {
    const requests = Math.ceil(random() * MOST_REQUESTS);
    yield tryKilled(
      kit,
      FOREIGN_SERVICES[time % FOREIGN_SERVICES.length] as ForeignService,
      requests,
      `k${seed}x${time}`,
    );
  }
}

async function tryKilled(
  kit: Kit,
  { name, start: startService }: ForeignService,
  requests: number,
  tag: string,
): Promise<KilledRow> {
  let kill = () => {};
  await using service = await opened(startService());
  await using front = await opened(startCounting(service, requests, () => kill()));
  const [before, shown] = [service.live(), service.rows()];
  const journal = kit.file(`record-model-leftovers-${tag}.jsonl`);
  const started = start(dirname(journal), ['check', front.url, '--models', MODELS, '--tag', tag]);
  kill = () => void started.child.kill('SIGKILL');
  const ended = await started.ended;
  await Promise.all(front.under);
  const { code, text: cleaned } = existsSync(journal) ? await kit.clean(journal) : { code: 0, text: '' };
  // Records that `clean` can't distinguish from those of others. It prints their names.
  const kept = namesIn(cleaned, /^(\w+\/\S+) (?:was kept|could not be removed)/gm);
  const problems = compare(service, before, (id) => isNamed(id, kept));
  if (ended.code !== -1) problems.push(`the run ended with exit code ${ended.code} before it was killed`);
  if (code !== (kept.length > 0 ? 1 : 0)) problems.push(`clean: exit ${code}: ${cleaned.trim().slice(-300)}`);
  const isKept = (row: string) => isNamed(row.split(' ')[0] ?? '', kept);
  const changed = service.rows().filter((row) => !shown.includes(row) && !isKept(row));
  if (changed.length > 0) problems.push(`${changed.length} records differ, such as ${changed[0]}`);
  const removed = namesIn(cleaned, /^removed (\S+)$/gm).length;
  const text = `${`${name} after ${requests} requests`.padEnd(34)} ${removed} removed, ${kept.length} kept`;
  return { text, removed, problems };
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

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}
