import { startHostile } from '../../../testing/services/hostile/hostile.ts';
import { SHAPE_NAMES, type ShapeName } from '../../../testing/services/hostile/shapes.ts';
import { opened } from '../../../testing/services/http-server.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { compare, isNamed, type Kit, type Tried } from './kit.ts';

/** The result of one check of a service with hostile responses. */
export type HostileRow = Tried & {
  readonly code: number;
  /** The number of hostile responses. */
  readonly hostile: number;
};

export type HostileOptions = {
  /** The number of runs in which one response of twenty is hostile, in any shape. */
  readonly mixed: number;
  readonly shapes?: readonly ShapeName[];
  readonly seed: number;
  /** Seconds that a run may take (--max-time). */
  readonly maxTime: number;
  readonly models?: string | undefined;
};

/** Seconds beyond the time given: one step of the kit on the largest answer there may be, on a busy machine. */
const GRACE = 6;
const ONE_IN = 20;
const TIME_OVER = 'The time for removing records is over';

/** Checks services that answer with each hostile shape from the start, and now and then with any of them. */
export async function* proveHostile(kit: Kit, options: HostileOptions): AsyncGenerator<HostileRow> {
  const { mixed, seed: first, shapes = SHAPE_NAMES } = options;
  for (const shape of shapes) yield tryHostile(kit, shape, options, { shapes: [shape] });
  for (let seed = first; seed < first + mixed; seed++) {
    const hostility = { shapes: SHAPE_NAMES, oneIn: ONE_IN, after: 10, seed };
    yield tryHostile(kit, `one of ${ONE_IN}, drawn with ${seed}`, options, hostility);
  }
}

async function tryHostile(
  kit: Kit,
  name: string,
  { maxTime, models = 'brand,locker,lockerType' }: HostileOptions,
  hostility: Parameters<typeof startHostile>[1],
): Promise<HostileRow> {
  await using service = await opened(startHostile(await startPlain(), hostility));
  const before = service.live();
  // One after the other, so that a seed means the same answers each time.
  const args = ['--concurrency=1', `--models=${models}`, `--max-time=${maxTime}`, '--timeout=1000'];
  const started = performance.now();
  const { cases, code, left, text } = await kit.check(service.url, args);
  const seconds = (performance.now() - started) / 1000;
  // Without the time for the last look, a run has to trust a success that it got for a delete.
  const trusted = text.includes(TIME_OVER) ? service.withheld() : [];
  const isSaid = (live: string) => isNamed(live, left) || trusted.some((path) => path.endsWith(`/${live}`));
  const problems = compare(service, before, isSaid);
  if (seconds > maxTime + GRACE) problems.push(`it took ${seconds.toFixed(1)} s; expected ${maxTime} s`);
  if (![0, 1, 2, 3, 4].includes(code)) problems.push(`exit ${code}`);
  if (/\n\s+at /.test(text)) problems.push(`a stack trace: ${text.trim().slice(0, 300)}`);
  const [error] = cases.filter(({ outcome }) => outcome === 'error');
  if (error) problems.push(`an error of the kit in ${error.id}: ${error.message?.slice(0, 300)}`);
  const hostile = service.hostile();
  const ended = `exit ${code} in ${seconds.toFixed(1).padStart(4)} s`;
  const shown = `${name.padEnd(30)} ${ended} ${String(hostile).padStart(5)} hostile answers`;
  return { text: shown, code, hostile, problems };
}
