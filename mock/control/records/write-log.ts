import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Allowance, Holder } from '../../memory-budget.ts';
import type { Found, Query, Records, SessionRecords } from '../../store/store.ts';
import { ControlError } from '../control-error.ts';
import { type Image, isSame } from './record-change.ts';
import type { ChangeKind, Write } from './records-api.ts';

/** Maximum number of writes that can be undone. */
const MOST_WRITES = 50;

const MEBIBYTE = 1024 * 1024;
/** Maximum size of the writes of a session. */
const MOST_BYTES = 16 * MEBIBYTE;

type KeptWrite = {
  readonly id: number;
  readonly time: number;
  readonly images: readonly Image[];
  readonly bytes: number;
};

export type WriteLog = ReturnType<typeof createWriteLog>;

/** Keeps the last writes of a session, so that they can be undone. */
export function createWriteLog(options: {
  readonly records: SessionRecords;
  readonly allowance: Allowance;
  /** Returns the time of the session, in milliseconds since 1970. */
  readonly time: () => number;
  /** Returns what happened to a record of a model. */
  readonly kindOf: (image: Image) => ChangeKind;
}) {
  const { allowance, kindOf, records, time } = options;
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
  const show = ({ id, images, time: at }: KeptWrite): Write => ({
    id,
    at: new Date(at).toISOString(),
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
          recording = new Recording(own);
          return work(recording);
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

  function add(recording: Recording): void {
    const { bytes, state } = recording;
    if (state !== 'open') {
      clear(state === 'cleared' ? '' : ', because a write was too large to keep');
      return;
    }
    const images = recording.images();
    if (images.length === 0) return;
    lastId += 1;
    kept.push({ id: lastId, time: time(), images, bytes });
    let total = holder.held + bytes;
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

/** A record that a transaction has read or written. */
type Entry = {
  readonly model: string;
  readonly id: number;
  readonly before: RecordValues | undefined;
  after: RecordValues | undefined;
  isWritten: boolean;
};

/** With more entries, they are looked up in an index. Most transactions have fewer. */
const FEW = 8;

/**
 * Records what a transaction writes. A record that it has read before needs no other read. A class, because each write
 * creates one.
 */
class Recording implements Records {
  state: 'open' | 'cleared' | 'too-large' = 'open';
  bytes = 0;
  readonly #own: Records;
  #entries: Entry[] = [];
  #index: Map<string, Entry> | undefined;
  /** The results of searches. They are only looked at for records that are written. */
  #found: { readonly model: string; readonly records: readonly RecordValues[] }[] | undefined;

  constructor(own: Records) {
    this.#own = own;
  }

  async get(model: string, id: number): Promise<RecordValues | undefined> {
    const known = await this.#own.get(model, id);
    if (this.state === 'open' && !this.#entryOf(model, id)) this.#add(model, id, known);
    return known;
  }

  async find(model: string, query: Query): Promise<Found> {
    const page = await this.#own.find(model, query);
    if (this.state === 'open' && page.records.length > 0) {
      this.#found ??= [];
      this.#found.push({ model, records: page.records });
    }
    return page;
  }

  async nextId(model: string): Promise<number> {
    const id = await this.#own.nextId(model);
    if (this.state === 'open' && !this.#entryOf(model, id)) this.#add(model, id, undefined);
    return id;
  }

  put(model: string, record: RecordValues): Promise<void> {
    const noted = this.#write(model, Number(record.id), record);
    return noted ? noted.then(() => this.#own.put(model, record)) : this.#own.put(model, record);
  }

  remove(model: string, id: number): Promise<void> {
    const noted = this.#write(model, id, undefined);
    return noted ? noted.then(() => this.#own.remove(model, id)) : this.#own.remove(model, id);
  }

  clear(model: string): Promise<void> {
    this.#stop('cleared');
    return this.#own.clear(model);
  }

  /** Returns the records that were written. */
  images(): Image[] {
    return this.#entries.filter(({ after, before, isWritten }) => isWritten && before !== after);
  }

  #entryOf(model: string, id: number): Entry | undefined {
    if (this.#index) return this.#index.get(`${model} ${id}`);
    for (const entry of this.#entries) if (entry.id === id && entry.model === model) return entry;
    return undefined;
  }

  #add(model: string, id: number, before: RecordValues | undefined): Entry {
    const entry = { model, id, before, after: undefined, isWritten: false };
    this.#entries.push(entry);
    if (this.#index) this.#index.set(`${model} ${id}`, entry);
    else if (this.#entries.length > FEW)
      this.#index = new Map(this.#entries.map((one) => [`${one.model} ${one.id}`, one]));
    return entry;
  }

  /** Notes the new version of a record. Waits only if the old one is unknown. */
  #write(model: string, id: number, record: RecordValues | undefined): Promise<void> | undefined {
    if (this.state !== 'open') return undefined;
    const entry = this.#entryOf(model, id);
    if (!entry)
      return this.#read(model, id).then((before) => this.#note(this.#add(model, id, before), record));
    this.#note(entry, record);
    return undefined;
  }

  async #read(model: string, id: number): Promise<RecordValues | undefined> {
    for (const found of this.#found ?? []) {
      const record = found.model === model && found.records.find((one) => one.id === id);
      if (record) return record;
    }
    return this.#own.get(model, id);
  }

  #note(entry: Entry, record: RecordValues | undefined): void {
    this.bytes += sizeOf(record) - sizeOf(entry.isWritten ? entry.after : undefined);
    if (!entry.isWritten) this.bytes += sizeOf(entry.before);
    entry.after = record;
    entry.isWritten = true;
    if (this.bytes > MOST_BYTES) this.#stop('too-large');
  }

  #stop(why: 'cleared' | 'too-large'): void {
    this.state = why;
    this.#entries = [];
    this.#index = undefined;
    this.#found = undefined;
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
