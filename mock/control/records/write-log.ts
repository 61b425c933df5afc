import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Allowance, Holder } from '../../memory-budget.ts';
import type { Records, SessionRecords } from '../../store/store.ts';
import { ControlError } from '../control-error.ts';
import { type Image, isSame } from './record-change.ts';
import type { ChangeKind, Write } from './records-api.ts';

/** Maximum number of writes that can be undone. */
const MOST_WRITES = 50;

const MEBIBYTE = 1024 * 1024;
/** Maximum size of the writes of a session. */
const MOST_BYTES = 16 * MEBIBYTE;

type KeptWrite = Omit<Write, 'records'> & { readonly images: readonly Image[]; readonly bytes: number };

export type WriteLog = ReturnType<typeof createWriteLog>;

/** Keeps the last writes of a session, so that they can be undone. */
export function createWriteLog(options: {
  readonly records: SessionRecords;
  readonly allowance: Allowance;
  /** The time of the session. */
  readonly now: () => Date;
  /** Returns what happened to a record of a model. */
  readonly kindOf: (image: Image) => ChangeKind;
}) {
  const { allowance, kindOf, now, records } = options;
  const kept: KeptWrite[] = [];
  let lastId = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Why there are fewer writes than the session had. */
  let lost = '';
  const holder: Holder = {
    held: 0,
    letGo: () => {
      holder.held -= kept.shift()?.bytes ?? 0;
      lost = ', because the mock dropped writes to stay within its memory limit';
    },
  };
  const clear = (why = '') => {
    kept.length = 0;
    lost = why;
    allowance.hold(holder, 0);
  };
  const show = ({ at, id, images }: KeptWrite): Write => ({
    id,
    at,
    records: images.map((image) => ({ model: image.model, id: image.id, change: kindOf(image) })),
  });
  return {
    /** The records of the session. The log contains what is written through them. */
    records: {
      ...records,
      transaction: async <Result>(work: (records: Records) => Promise<Result>): Promise<Result> => {
        // After a conflict, the work runs again, and starts a new recording.
        let recording: Recording | undefined;
        const result = await records.transaction((own) => {
          recording = record(own);
          return work(recording.records);
        });
        if (recording) add(recording);
        return result;
      },
    },
    /** Returns the writes that can be undone, the newest first. */
    list: (): Write[] => kept.map(show).reverse(),
    /** Undoes the newest write, and returns it. Rejects with ControlError 409 if a record has changed since then. */
    undo: (): Promise<Write> => {
      const undone = last.then(undoNewest);
      last = undone.catch(() => undefined);
      return undone;
    },
    clear,
  };

  function add({ bytes, images, state }: Recording): void {
    const how = state();
    if (how !== 'open') {
      clear(how === 'cleared' ? '' : ', because a write was too large to keep');
      return;
    }
    const changed = images();
    if (changed.length === 0) return;
    lastId += 1;
    kept.push({ id: lastId, at: now().toISOString(), images: changed, bytes: bytes() });
    let total = holder.held + bytes();
    while (kept.length > MOST_WRITES || total > MOST_BYTES) total -= kept.shift()?.bytes ?? 0;
    allowance.hold(holder, total);
  }

  async function undoNewest(): Promise<Write> {
    const write = await records.transaction(async (own) => {
      const newest = kept.at(-1);
      if (!newest) throw new ControlError(409, `There is no write to undo${lost}.`);
      for (const { after, id, model } of newest.images)
        if (!isSame(await own.get(model, id), after))
          throw new ControlError(
            409,
            `The last write can't be undone, because ${model} ${id} has changed since then. Change or reset the records instead.`,
          );
      for (const { before, id, model } of newest.images)
        await (before ? own.put(model, before) : own.remove(model, id));
      return newest;
    });
    const at = kept.indexOf(write);
    if (at >= 0) {
      kept.splice(at, 1);
      allowance.hold(holder, holder.held - write.bytes);
    }
    return show(write);
  }
}

type Recording = ReturnType<typeof record>;

/** Records what a transaction writes. A record that it has read before needs no other read. */
function record(own: Records) {
  /** Each record as it was before the transaction, by model and ID. */
  const before = new Map<string, Map<number, RecordValues | undefined>>();
  const after = new Map<string, Map<number, RecordValues | undefined>>();
  /** The results of searches. They are only looked at for records that are written. */
  let found: { readonly model: string; readonly records: readonly RecordValues[] }[] = [];
  let bytes = 0;
  let state: 'open' | 'cleared' | 'too-large' = 'open';
  const records: Records = {
    get: async (model, id) => {
      const known = await own.get(model, id);
      if (state === 'open') see(model, id, known);
      return known;
    },
    find: async (model, query) => {
      const page = await own.find(model, query);
      if (state === 'open' && page.records.length > 0) found.push({ model, records: page.records });
      return page;
    },
    nextId: async (model) => {
      const id = await own.nextId(model);
      if (state === 'open') see(model, id, undefined);
      return id;
    },
    put: async (model, record) => {
      if (state === 'open') await write(model, Number(record.id), record);
      return own.put(model, record);
    },
    remove: async (model, id) => {
      if (state === 'open') await write(model, id, undefined);
      return own.remove(model, id);
    },
    clear: (model) => {
      stop('cleared');
      return own.clear(model);
    },
  };
  return { records, bytes: () => bytes, state: () => state, images };

  function see(model: string, id: number, record: RecordValues | undefined): void {
    const known = before.get(model);
    if (!known) before.set(model, new Map([[id, record]]));
    else if (!known.has(id)) known.set(id, record);
  }

  async function write(model: string, id: number, record: RecordValues | undefined): Promise<void> {
    if (!before.get(model)?.has(id)) {
      const seen = found.find((one) => one.model === model && one.records.some((other) => other.id === id));
      see(model, id, seen ? seen.records.find((other) => other.id === id) : await own.get(model, id));
    }
    const written = after.get(model) ?? new Map<number, RecordValues | undefined>();
    after.set(model, written);
    bytes += sizeOf(record) - sizeOf(written.get(id));
    if (!written.has(id)) bytes += sizeOf(before.get(model)?.get(id));
    written.set(id, record);
    if (bytes > MOST_BYTES) stop('too-large');
  }

  function stop(why: 'cleared' | 'too-large'): void {
    state = why;
    before.clear();
    after.clear();
    found = [];
  }

  function images(): Image[] {
    return [...after].flatMap(([model, written]) =>
      [...written].flatMap(([id, record]) => {
        const was = before.get(model)?.get(id);
        return was === record ? [] : [{ model, id, before: was, after: record }];
      }),
    );
  }
}

/** Returns about the number of bytes that a record takes. */
function sizeOf(record: RecordValues | undefined): number {
  if (!record) return 0;
  let bytes = 64;
  for (const name in record) bytes += 16 + sizeOfValue(record[name] ?? null);
  return bytes;
}

function sizeOfValue(value: Value): number {
  if (typeof value === 'string') return value.length * 2;
  if (typeof value !== 'object' || value === null) return 0;
  return JSON.stringify(value).length * 2;
}
