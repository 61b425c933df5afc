import { isDeepStrictEqual } from 'node:util';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isGone } from '../api/answer.ts';
import { type ApiCall, createApi, meaningOf } from '../api/api.ts';
import { isCopy, isOrigin } from '../assert/agreement.ts';
import { skip } from '../assert/ending.ts';
import type { Change } from '../record/notes.ts';
import type { RecordOptions } from '../record/record.ts';
import { caseOfWrite } from '../record/timeline.ts';
import { nameOf } from '../records/identity.ts';
import { sideBySide, unlessUnanswered } from '../target/exchange.ts';

/** Milliseconds that a record must be older than the run, because another client might still change a newer one. */
const OLD = 60_000;

/** A string that a run of this suite sent, with its tag. */
const SAMPLE = /\b[a-z\d]{2,12}-\d{4,}\b/;

/** The chosen records of others, and their changes. */
export type Sentinels = ReturnType<typeof createSentinels>;

/** Reads records that existed before the run: at its start and end, and around the first write of each kind. */
export function createSentinels(
  options: RecordOptions & {
    /** Whether the run can repeat a write that might harm another record. */
    readonly isDisposable: () => boolean;
    readonly isStopped: () => boolean;
    readonly concurrency?: number | undefined;
  },
) {
  const { catalogue, check, concurrency, isDisposable, isStopped, profile, target } = options;
  const api = createApi({ target, catalogue, profile: () => profile });
  const started = Date.now() - OLD;
  const noted = new Map<Model, Map<number, Looked>>();
  /** The chosen records that are older than the run, as `model/id`. */
  const old = new Set<string>();
  const tried = new Set<string>();
  const watched = new WeakSet<ApiCall>();
  const harms: Change[] = [];
  const stopped = new Map<Model, { readonly operation: Operation | 'other'; readonly why: string }>();
  /** The chosen records of a model. */
  const of = (model: Model): readonly number[] => [...(noted.get(model)?.keys() ?? [])];
  const forEach = <Item>(items: Iterable<Item>, task: (item: Item) => Promise<void>) =>
    sideBySide(items, task, concurrency);
  return { note, look, before, answered, harms: (): readonly Change[] => harms, of };

  /** Chooses the records: the first and the last one on the first page of each list. */
  async function note(models: ReadonlySet<Model>): Promise<void> {
    const has = ({ operations }: Model, operation: Operation) => operations.includes(operation);
    const listed = [...models].filter((model) => has(model, 'list') && has(model, 'retrieve'));
    const lists = new Map<Model, readonly RecordValues[]>();
    await forEach(listed, async (model) => {
      const answer = isStopped() ? undefined : await unlessUnanswered(() => api.list(model.name));
      lists.set(model, api.recordsIn(answer) ?? []);
    });
    // Another run of the suite might be at work, and not all of its records have a tag.
    const needsOld = !isDisposable() || [...lists.values()].some((all) => all.some(isSample));
    await forEach(lists, async ([model, all]) => {
      if (isStopped()) return;
      const steady = all.filter(
        (record) =>
          Number.isSafeInteger(record.id) && (!needsOld || isOld(model, record)) && !isSample(record),
      );
      const known = new Map<number, Looked>();
      for (const record of [steady[0], steady.at(-1)])
        if (record) {
          known.set(Number(record.id), await lookAt(options, model, Number(record.id)));
          if (isOld(model, record)) old.add(nameOf({ model, id: record.id }));
        }
      if (known.size > 0) noted.set(model, known);
    });
  }

  /** Whether no other client is likely to write to a record, such as a run that began at the same time. */
  function isOld(model: Model, record: RecordValues): boolean {
    const created = check.read(model, record)[fieldOf(model, 'created')?.name ?? ''];
    return Date.parse(String(created)) < started;
  }

  /** Reads all records again. */
  async function look(): Promise<void> {
    const all = [...noted].flatMap(([model, records]) => [...records.keys()].map((id) => ({ model, id })));
    await forEach(all, async ({ id, model }) => {
      if (!isStopped()) await compare(model, id);
    });
  }

  async function before(call: ApiCall): Promise<void> {
    const meaning = meaningOf(call);
    if (!meaning || ['retrieve', 'list'].includes(meaning.operation)) return;
    const { model, operation } = meaning;
    const harm = stopped.get(model);
    // The run still deletes its records, unless a delete did the harm.
    if (harm && (operation !== 'delete' || harm.operation === 'delete'))
      throw skip(harm.why, { withheld: true });
    const records = noted.get(model);
    const kind = `${operation} ${model.name}`;
    if (!records || tried.has(kind)) return;
    tried.add(kind);
    watched.add(call);
    for (const id of records.keys()) await compare(model, id);
  }

  async function answered(call: ApiCall): Promise<void> {
    const meaning = watched.has(call) ? meaningOf(call) : undefined;
    if (!meaning) return;
    const { model, operation } = meaning;
    const suspect = caseOfWrite({ model, operation });
    const what = operation === 'other' ? 'another request' : `the first ${operation}`;
    for (const id of of(model)) {
      // The case reports what a write to the record itself did.
      if (id === meaning.id) noted.get(model)?.set(id, await lookAt(options, model, id));
      const message = await compare(model, id, `after ${what} of the run to ${model.name}`, suspect);
      if (message === undefined || isDisposable()) continue;
      const why = `the suite stopped writing to ${model.name} because a record that it did not create changed: ${message}`;
      stopped.set(model, { operation, why });
    }
  }

  /** Notes a harm if a record changed, and stays the same when it is read once more. Returns its message. */
  async function compare(model: Model, id: number, when = 'during the run', suspect?: string) {
    const known = noted.get(model)?.get(id);
    const now = await lookAt(options, model, id);
    if (now === 'unknown') return undefined;
    noted.get(model)?.set(id, now);
    if (known === undefined || known === 'unknown' || isDeepStrictEqual(now, known)) return undefined;
    if (!isDeepStrictEqual(await lookAt(options, model, id), now)) return undefined;
    const message = `${nameOf({ model, id })} ${now === 'missing' ? 'no longer exists' : 'changed'} ${when}`;
    const isGone = now === 'missing' && suspect !== undefined && old.has(nameOf({ model, id }));
    const words = { message, expected: 'the record as before', found: 'another record, or none' };
    const suspects = suspect === undefined ? [] : [suspect];
    harms.push({ model, id, isOwn: false, isGone, suspects, words: { ...words, exchanges: [] } });
    return message;
  }
}

/** Whether a record has a string that a run of the suite sent. */
function isSample(record: RecordValues): boolean {
  return Object.values(record).some((value) => typeof value === 'string' && SAMPLE.test(value));
}

/** A record as others must leave it. `unknown` if there was no response, or a 5xx. */
export type Looked = RecordValues | 'missing' | 'unknown';

/** Returns the writable values of a record, its origin, and whether it is marked as deleted. */
export async function lookAt(options: RecordOptions, model: Model, id: number): Promise<Looked> {
  const { catalogue, check, profile, target } = options;
  const api = createApi({ target, catalogue, profile: () => profile });
  const answer = await unlessUnanswered(() => api.retrieve(model.name, id));
  if (answer && isGone(answer)) return 'missing';
  const wire = api.recordIn(answer);
  if (!wire) return 'unknown';
  const shown = check.read(model, wire);
  // Writes to other records can change lines, copies, and totals, and make another record the default one.
  const isKept = (field: Field) =>
    !field.readonly && field.lines === undefined && field.type !== 'bool' && !isCopy(field, catalogue);
  const kept = model.fields.filter((field) => isKept(field) || field.role === 'deleted' || isOrigin(field));
  return Object.fromEntries(kept.map(({ name }) => [name, shown[name] ?? null]));
}
