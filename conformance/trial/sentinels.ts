import { isDeepStrictEqual } from 'node:util';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted } from '../api/answer.ts';
import { type Call, createApi, type Watcher } from '../api/api.ts';
import { meaningOf } from '../api/meaning.ts';
import { Withheld } from '../assert/failure.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { RecordOptions } from '../record/record.ts';
import { caseOfWrite } from '../record/ties.ts';
import type { Finding } from '../results/results.ts';
import { sideBySide } from '../target/side-by-side.ts';
import type { Target } from '../target/target.ts';

/** A record that the run did not create and that changed during a write of the run. */
export type Harm = {
  readonly model: Model;
  readonly id: number;
  /** The finding about the write, without values of the record. */
  readonly finding: Finding;
};

/** Records that existed before the run. They are read before and after the first write of each kind to their model. */
export type Sentinels = Pick<Watcher, 'before' | 'answered'> & {
  /** Chooses the records: the first and the last one on the first page of each list. */
  note(models: ReadonlySet<Model>): Promise<void>;
  /** The harm that was seen, the first of each case. */
  harms(): readonly Harm[];
};

export type SentinelOptions = Contract & {
  readonly target: Target;
  readonly check: WireCheck;
  /** Whether the run can repeat a write that might harm another record. */
  readonly isDisposable: () => boolean;
  readonly isStopped: () => boolean;
  readonly concurrency?: number | undefined;
};

/** Milliseconds that a record must be older than the run, because another run could still change a newer one. */
const OLD = 60_000;

export function createSentinels(options: SentinelOptions): Sentinels {
  const { catalogue, check, concurrency, isDisposable, isStopped, profile, target } = options;
  const api = createApi({ target, catalogue, profile: () => profile });
  const started = Date.now() - OLD;
  const noted = new Map<Model, Map<number, RecordValues | undefined>>();
  const tried = new Set<string>();
  const watched = new WeakSet<Call>();
  const harms = new Map<string, Harm>();
  const stopped = new Map<Model, { readonly operation: Operation | 'other'; readonly why: string }>();
  return { note, before, answered, harms: () => [...harms.values()] };

  async function note(models: ReadonlySet<Model>): Promise<void> {
    const has = ({ operations }: Model, operation: Operation) => operations.includes(operation);
    const listed = [...models].filter((model) => has(model, 'list') && has(model, 'retrieve'));
    await sideBySide(
      listed,
      async (model) => {
        if (isStopped()) return;
        const answer = await api.list(model.name);
        const records = ((isAccepted(answer) && api.recordsIn(answer)) || []).filter(
          (record) => Number.isSafeInteger(record.id) && isOld(model, record),
        );
        const ids = new Set([records[0], records.at(-1)].flatMap((record) => Number(record?.id ?? []) || []));
        if (ids.size > 0) noted.set(model, new Map([...ids].map((id) => [id, undefined])));
      },
      concurrency,
    );
  }

  /** A time that can't be read is no proof of age, and most services show one that can. */
  function isOld(model: Model, record: RecordValues): boolean {
    const created = check.read(model, record)[fieldOf(model, 'created')?.name ?? ''];
    return Date.parse(String(created)) < started;
  }

  async function before(call: Call): Promise<void> {
    const meaning = meaningOf(catalogue, call);
    if (!meaning || ['retrieve', 'list'].includes(meaning.operation)) return;
    const { model, operation } = meaning;
    const harm = stopped.get(model);
    // The run still deletes its records, unless a delete did the harm.
    if (harm && (operation !== 'delete' || harm.operation === 'delete')) throw new Withheld(harm.why);
    const records = noted.get(model);
    const kind = `${operation} ${model.name}`;
    if (!records || tried.has(kind)) return;
    tried.add(kind);
    watched.add(call);
    for (const id of records.keys()) records.set(id, await lookAt(options, model, id));
  }

  async function answered(call: Call): Promise<void> {
    const meaning = watched.has(call) ? meaningOf(catalogue, call) : undefined;
    if (!meaning) return;
    const { model, operation } = meaning;
    for (const [id, known] of noted.get(model) ?? []) {
      // The write is about this record: the case itself reports what it did.
      if (!known || id === meaning.id) continue;
      const now = await lookAt(options, model, id);
      // As a control, the record must stay the same without a write.
      if (isDeepStrictEqual(now, known) || !isDeepStrictEqual(await lookAt(options, model, id), now))
        continue;
      const what = now === undefined ? 'no longer exists' : 'changed';
      const name = `${model.name}/${id}`;
      const message = `${name} ${what} after ${operation === 'other' ? 'another request' : `the first ${operation}`} of the run to ${model.name}`;
      const finding: Finding = {
        case: caseOfWrite({ model, operation, id: meaning.id, at: 0 }),
        message,
        expected: 'the record as before',
        found: 'another record, or none',
        exchanges: [],
      };
      if (!harms.has(finding.case)) harms.set(finding.case, { model, id, finding });
      if (!isDisposable())
        stopped.set(model, {
          operation,
          why: `the suite stopped writing to ${model.name} because a record that it did not create changed: ${message}`,
        });
    }
  }
}

/** The writable values of a record, and whether it is marked as deleted; undefined if there is no such record. */
export async function lookAt(
  { catalogue, check, profile, target }: RecordOptions,
  model: Model,
  id: number,
): Promise<RecordValues | undefined> {
  const api = createApi({ target, catalogue, profile: () => profile });
  const answer = await api.retrieve(model.name, id);
  const wire = isAccepted(answer) ? api.recordIn(answer) : undefined;
  if (!wire) return undefined;
  const shown = check.read(model, wire);
  const kept = model.fields.filter(({ readonly, role }) => !readonly || role === 'deleted');
  return Object.fromEntries(kept.map(({ name }) => [name, shown[name] ?? null]));
}
