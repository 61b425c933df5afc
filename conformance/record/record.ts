import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import { type ApiCall, createApi, meaningOf } from '../api/api.ts';
import { createComparison, type WireCheck } from '../assert/agreement.ts';
import { nameOf } from '../records/identity.ts';
import { unlessUnanswered } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { createNotes, type RecordResponse } from './notes.ts';
import { createReadChecks, createWriteChecks } from './responses.ts';
import { createTies, type SentValues, startTimeline, type Timeline } from './timeline.ts';

export type RecordOptions = Contract & { readonly check: WireCheck; readonly target: Target };

/** Records that lists show otherwise and that are retrieved to find the cause. */
const MOST_LOOKS = 100;
/** Listed records of others that are noted. */
const MOST_UNKNOWN = 1000;

/** The past of the records that a run created. Compares each response with it. */
export type RunRecord = ReturnType<typeof createRunRecord>;

/** `past` is the record of the whole run, if this one is of a repeated case. */
export function createRunRecord(options: RecordOptions, past?: { deleted(of: Model): readonly Timeline[] }) {
  const { catalogue, check, profile, target } = options;
  const api = createApi({ target, catalogue, profile: () => profile });
  const recordIn = ({ answer }: RecordResponse) => (isAccepted(answer) ? api.recordIn(answer) : undefined);
  const ties = createTies(options);
  const lines = new Map<Model, Map<number, Timeline>>();
  const pending = new WeakMap<ApiCall, NonNullable<ReturnType<typeof begin>>>();
  const senders = new WeakMap<ApiCall, string>();
  const notes = createNotes(options);
  const parts = { ...options, notes, ties, compare: createComparison(catalogue) };
  const writes = createWriteChecks(parts);
  const reads = createReadChecks(parts);
  let tick = 0;
  let looks = 0;
  /** Listed records that no response to a create had shown, with the timeline of their ID until then. */
  const unknown = new Map<string, readonly [Model, id: number, at: number, before: Timeline | undefined]>();
  const find = (model: Model, id: number | undefined) => lines.get(model)?.get(id ?? Number.NaN);
  const linesOf = (model: Model) => [...(lines.get(model)?.values() ?? [])];
  return {
    before(call: ApiCall): void {
      const begun = begin(call);
      if (begun) pending.set(call, begun);
    },
    answered,
    failed: (call: ApiCall) => void end(call, undefined),
    /** Notes the case that sends a request. */
    during: (call: ApiCall, caseId: string) => void senders.set(call, caseId),
    contradictions: notes.contradictions,
    drifts: notes.drifts,
    unjudged: notes.unjudged,
    /** Whether another client created a record since the first one of the run. */
    seesOthers: () =>
      [...unknown.values()].some(([model, id, at, before]) => {
        const line = find(model, id);
        // A list can show a create of the run before its response does.
        return !line || line === before || line.since > at;
      }),
    deleted: (of: Model): readonly Timeline[] => linesOf(of).filter(({ life }) => life === 'deleted'),
    /** The records that exist, as far as the run knows. */
    existing: (): readonly Pick<Timeline, 'id' | 'listed' | 'model'>[] =>
      [...lines.keys()].flatMap(linesOf).filter(({ life }) => life === 'live'),
  };

  function begin(call: ApiCall) {
    const meaning = meaningOf(call);
    if (!meaning) return undefined;
    const { id, model, operation } = meaning;
    const isRead = operation === 'retrieve' || operation === 'list';
    const line = isRead ? undefined : find(model, id);
    const own = { isAlone: line?.open.size === 0 };
    for (const other of line?.open ?? []) other.isAlone = false;
    line?.open.add(own);
    const sent: SentValues = isRead ? new Map() : readSent(check, model, meaning.sent ?? {});
    const write = isRead ? undefined : ties.begin({ model, operation, id, sent });
    return { meaning, asked: ++tick, sent, line, own, write };
  }

  async function answered(call: ApiCall, answer: ApiResponse): Promise<void> {
    for (const line of end(call, answer)) if (looks++ < MOST_LOOKS) await look(line, call);
  }

  /** Retrieves a record that a list shows otherwise than expected. */
  async function look(line: Timeline, { isOwn }: ApiCall): Promise<void> {
    const { id, model } = line;
    if (!model.operations.includes('retrieve')) return;
    const asked = ++tick;
    const own = createApi({ target, catalogue, profile: () => profile, watchers: [{ isOwn }] });
    const answer = await unlessUnanswered(() => own.retrieve(model.name, id));
    if (!answer) return;
    const meaning = { model, operation: 'retrieve', id } as const;
    const seen = { meaning, answer, asked, at: ++tick, during: '' };
    if (isStable(line, asked)) reads.retrieved(line, seen, recordIn(seen));
  }

  /** Returns the records that a list shows otherwise than expected. */
  function end(call: ApiCall, answer: ApiResponse | undefined): readonly Timeline[] {
    const begun = pending.get(call);
    pending.delete(call);
    if (!begun) return [];
    const { asked, line, meaning, own, sent, write } = begun;
    const { model, operation } = meaning;
    const at = ++tick;
    line?.open.delete(own);
    if (write) Object.assign(write, { at, method: call.request.method.toLowerCase() });
    const seen = answer && { meaning, answer, asked, at, during: senders.get(call) ?? '' };
    if (operation === 'retrieve') {
      const known = find(model, meaning.id);
      if (seen && known && isStable(known, asked) && reads.retrieved(known, seen, recordIn(seen)) === 'over')
        lines.get(model)?.delete(known.id);
    } else if (operation === 'list') {
      const records = seen && isAccepted(seen.answer) ? (api.recordsIn(seen.answer) ?? []) : undefined;
      for (const record of records ?? []) noteUnknown(model, record, at);
      const gone = (past?.deleted(model) ?? []).filter(({ id }) => !find(model, id));
      const stable = linesOf(model).filter((one) => isStable(one, asked));
      if (seen && records) return reads.listed([...gone, ...stable], seen, records);
    } else if (operation === 'create') {
      if (seen && isAccepted(seen.answer)) created(seen, sent);
    } else if (line) {
      const wire = seen && operation === 'update' ? recordIn(seen) : undefined;
      writes.written(line, { operation, sent, at, isAlone: own.isAlone }, seen, wire);
    } else if (operation === 'other' && seen && isAccepted(seen.answer)) {
      // A request to all records might have changed each of them. Its own rule reports that it was accepted.
      lines.delete(model);
    }
    return [];
  }

  function created(seen: RecordResponse, sent: SentValues): void {
    const { model } = seen.meaning;
    const wire = api.recordIn(seen.answer);
    const id = wire?.id;
    if (!wire || typeof id !== 'number' || !Number.isSafeInteger(id)) return;
    const before = find(model, id);
    if (before) reads.replaced(before, seen);
    const { answer, asked, at } = seen;
    const line = startTimeline(model, id, sent, { asked, at, exchange: answer.exchange }, options);
    const ofModel = lines.get(model) ?? new Map<number, Timeline>();
    lines.set(model, ofModel.set(id, line));
    writes.created({ line, wire, shown: notes.read(model, wire), seen }, sent);
  }

  function noteUnknown(model: Model, record: RecordValues, at: number): void {
    const field = fieldOf(model, 'created');
    const id = Number(record.id);
    const known = lines.get(model) ?? new Map<number, Timeline>();
    const isFull = unknown.size >= MOST_UNKNOWN || typeof record.id !== 'number';
    if (field && !isFull && isNew(known, id, String(check.readValue(field, record[field.name] ?? null))))
      unknown.set(nameOf({ model, id }), [model, id, at, known.get(id)]);
  }
}

/** Whether a record is unknown, and newer than the first one of the run, or than a deleted one with its ID. */
function isNew(known: ReadonlyMap<number, Timeline>, id: number, created: string): boolean {
  const line = known.get(id);
  if (line && line.life !== 'deleted') return false;
  const times = (line ? [line] : [...known.values()]).map(({ facts, model }) =>
    String(facts.get(fieldOf(model, 'created')?.name ?? '')?.value ?? ''),
  );
  const first = times.find((time) => time !== '');
  return first !== undefined && created > first;
}

/** Whether no write to the record was under way between a request and its response. */
function isStable({ open, ended }: Timeline, asked: number): boolean {
  return open.size === 0 && ended < asked;
}

/** The canonical values of a body; undefined for those that are not valid. For a service, an empty text can be no value. */
function readSent(check: WireCheck, model: Model, sent: RecordValues): SentValues {
  const values = new Map<string, Value | undefined>();
  for (const field of model.fields) {
    const named = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
    if (named === undefined) continue;
    const wire = named === '' && isText(field) && !field.required ? null : named;
    const value = check.readValue(field, wire);
    values.set(field.name, wire === null || check.complaint(field, wire) === undefined ? value : undefined);
  }
  return values;
}
