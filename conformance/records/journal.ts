import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import { readTextFile } from '../../spec/files/yaml-file.ts';
import { createProfile, type Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type ApiResponse,
  findRecord,
  findRecordIn,
  type Id,
  idInLocation,
  isAccepted,
  isGone,
  isId,
  isIntegerId,
  isRefused,
} from '../api/answer.ts';
import { type ApiCall, createApi, mayCreate, type Watcher } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import { skip } from '../assert/ending.ts';
import { isDenied, Lost, NoAnswer } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { identify, isMarked, isTagged, type Made, mightBeSent, nameOf } from './identity.ts';
import { createRegistry } from './registry.ts';
import { createRemoval } from './removal.ts';

export type JournalLine =
  | {
      readonly journal: 1;
      readonly target: string;
      readonly tag: string;
      readonly startedAt: string;
      /** The settings that are needed to request a record again. */
      readonly profile: Readonly<Record<string, unknown>>;
    }
  /** Settings that were learned later. */
  | { readonly profile: Readonly<Record<string, unknown>> }
  | { readonly create: string; readonly n: number; readonly sent: RecordValues }
  | { readonly refused: number }
  | { readonly made: number; readonly id: Id | undefined; readonly shown: RecordValues | undefined }
  /** The body of an update or, after its response, the updated record. Both can identify the record. */
  | { readonly changed: string; readonly values: RecordValues }
  | { readonly removed: string }
  | { readonly left: string };

/**
 * A write-ahead file of the records that a run creates, with one JSON value per line. It has each create before it is
 * sent, the ID after it, and each accepted delete. `record-model clean FILE` removes the records after a killed run.
 */
export type Journal = ReturnType<typeof createJournal>;

/**
 * Creates a journal; its file is written with the first create. The file must be new, because another run might still
 * need an existing one.
 */
export function createJournal(options: {
  readonly path: string;
  readonly target: string;
  readonly tag: string;
  /** Redacts credentials in a record. */
  readonly redact?: ((text: string) => string) | undefined;
}) {
  const { path, redact, tag, target } = options;
  let file: number | undefined;
  let last = 0;
  let spoken = '';
  return {
    path,
    /** Returns a watcher that writes the requests of a run; `isForeign` says whether a record had the ID before the run. */
    watch(isForeign: (model: Model, id: unknown) => boolean): Watcher {
      const intents = new WeakMap<ApiCall, number>();
      return {
        async before(call) {
          const name = nameIn(call);
          if (call.operation === 'update' && name && call.sent) write({ changed: name, values: call.sent });
          if (!mayCreate(call) || !call.model) return;
          open(call.profile);
          intents.set(call, ++last);
          write({ create: call.model.name, n: last, sent: call.sent ?? {} });
          // A create is not sent again, so it does not use a connection that the service has just closed.
          await turn();
        },
        failed(call, error) {
          const name = error instanceof Lost ? nameIn(call) : undefined;
          if (name) note({ removed: name });
        },
        answered(call, answer) {
          const { model } = call;
          const made = intents.get(call);
          // Any other response, such as a 5xx, leaves it open whether a record was stored.
          if (made !== undefined && isRefused(answer)) note({ refused: made });
          if (!model || !isAccepted(answer)) return;
          const name = nameIn(call);
          if (call.operation === 'delete' && name) note({ removed: name });
          const shown = findRecord(model, answer.json)?.value;
          if (call.operation === 'update' && name && shown) note({ changed: name, values: shown });
          if (made === undefined) return;
          const ids = [shown?.id, idInLocation(answer.headers)].filter(isId);
          note({ made, id: ids.find((id) => !isForeign(model, id)), shown });
        },
      };
    },
    /** Ends the journal. Deletes the file if nothing is left, else adds the leftovers, as `model/id`. */
    finish(leftovers: readonly string[]): void {
      if (file === undefined) return;
      for (const left of leftovers) note({ left });
      closeSync(file);
      file = undefined;
      if (leftovers.length === 0) rmSync(path, { force: true });
    },
  };

  /** Returns the record in the path of a request, as `model/id`. */
  function nameIn({ id, model }: ApiCall): string | undefined {
    return model && isId(id) ? nameOf({ model, id }) : undefined;
  }

  function open({ unknown: _, ...profile }: ApiCall['profile']): void {
    const text = JSON.stringify(profile);
    if (file === undefined) {
      // This flag doesn't follow links, and keeps the journal of another run.
      const to = tryTo(() => openSync(path, 'wx', 0o600));
      append(to, { journal: 1, target, tag, startedAt: new Date().toISOString(), profile });
      file = to;
    } else if (text !== spoken) write({ profile });
    spoken = text;
  }

  /** Writes a line if a record was created before. Throws if that fails. */
  function write(line: JournalLine): void {
    if (file !== undefined) append(file, line);
  }

  /** Writes what has happened. If that fails, `clean` finds the record by its tag, and the results list the leftovers. */
  function note(line: JournalLine): void {
    try {
      write(line);
    } catch {}
  }

  function append(to: number, line: JournalLine): void {
    const hide = (_: string, value: unknown) => (typeof value === 'string' ? redact?.(value) : value);
    const text = redact ? JSON.stringify(line, hide) : JSON.stringify(line);
    // If the disk is full, a part of a line might be written, so each line starts with the end of the last one.
    tryTo(() => writeFileSync(to, `\n${text}`));
  }

  function tryTo<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (error) {
      throw new UsageError(
        `The journal ${path} can't be written because ${whyFailed(error)}. The run creates no records without it. Choose another place.`,
      );
    }
  }
}

/** Returns a watcher that stops creates beyond a number. */
export function limitRecords(most: number): Watcher {
  let sent = 0;
  return {
    before(call) {
      if (mayCreate(call) && ++sent > most)
        throw skip(`the run reached its limit of ${most} created records (--max-records)`);
    },
  };
}

/** A create without a known result, and the values that it sent, in wire form. */
export type Intent = { readonly model: Model; readonly sent: RecordValues };

/** The journal of a run that didn't end. */
export type Unfinished = {
  readonly target: string;
  readonly tag: string;
  readonly profile: Profile;
  /** Oldest first. */
  readonly made: readonly Made[];
  /** The creates without a known result, with their bodies in wire form. */
  readonly open: readonly Intent[];
};

/** Returns the base URL of the run that left a journal. Throws UsageError if the file is no journal. */
export function targetOf(path: string): string {
  return readRun(path).head.target;
}

/** Reads a journal and ignores a truncated last line. Throws UsageError if the file is no journal. */
export function readJournal(path: string, catalogue: Catalogue): Unfinished {
  const { head, lines } = readRun(path);
  const intents = new Map<number, Intent>();
  const made = new Map<string, Made>();
  const removed = new Set<string>();
  let { profile } = head;
  for (const line of lines) {
    if ('profile' in line) profile = line.profile;
    else if ('create' in line) {
      const model = catalogue.models.get(line.create);
      if (model) intents.set(line.n, { model, sent: line.sent });
    } else if ('refused' in line) intents.delete(line.refused);
    else if ('made' in line) {
      const intent = intents.get(line.made);
      if (!intent || !isId(line.id)) continue;
      intents.delete(line.made);
      const one = { model: intent.model, id: line.id, shown: line.shown, changes: [intent.sent] };
      made.set(nameOf(one), one);
      removed.delete(nameOf(one));
    } else if ('changed' in line) made.get(line.changed)?.changes?.push(line.values);
    else if ('removed' in line) removed.add(line.removed);
    else if ('left' in line) {
      removed.delete(line.left);
      const [name = '', id = ''] = line.left.split('/');
      const model = catalogue.models.get(name);
      // The service chose it for a line, for example, so no create returned it.
      if (model && isIntegerId(id) && !made.has(line.left)) made.set(line.left, { model, id: Number(id) });
    }
  }
  return {
    target: head.target,
    tag: head.tag,
    profile: createProfile(profile, catalogue, path),
    made: [...made].flatMap(([name, one]) => (removed.has(name) ? [] : one)),
    open: [...intents.values()],
  };
}

function readRun(path: string) {
  const text = readTextFile(path, 'the journal that check or learn left', Number.POSITIVE_INFINITY);
  const [head, ...lines] = text.split('\n').flatMap((line): JournalLine[] => {
    try {
      const value: unknown = JSON.parse(line);
      return value !== null && typeof value === 'object' ? [value as JournalLine] : [];
    } catch {
      return [];
    }
  });
  if (!head || !('journal' in head))
    throw new UsageError(`${path} is not a journal. Name the file that check or learn left.`);
  return { head, lines };
}

/**
 * Removes the records of an unfinished run, newest first. A record must be proven to be the run's: it shows the tag of
 * the run, or the creation time and all values that the run saw or sent.
 */
export async function clean(
  { made, open, profile, tag }: Unfinished,
  contract: Pick<Contract, 'catalogue' | 'references'>,
  target: Target,
  dryRun: boolean,
) {
  const { catalogue } = contract;
  const api = createApi({ target, catalogue, profile: () => profile });
  /** Not removed, because the ID might belong to another record now. */
  const spared: string[] = [];
  /** Not removed, because the service refused to show them, with the response. */
  const unseen = new Map<string, ApiResponse>();
  const ours: Made[] = [];
  let seen = 0;
  const isSeen = (one: Pick<Made, 'id' | 'model'>, answer: ApiResponse) => {
    if (isDenied(answer.status) || answer.status >= 500) unseen.set(nameOf(one), answer);
    else seen++;
    return !unseen.has(nameOf(one));
  };
  for (const one of made) {
    const answer = await api.retrieve(one.model.name, one.id);
    if (!isSeen(one, answer)) continue;
    const shown = findRecordIn(one.model, answer);
    if (shown && isMarked(one.model, shown)) continue;
    if (shown && (isTagged(shown, tag) || identify({ ...one, shown: one.shown ?? {} }, shown) === 'same'))
      ours.push({ ...one, shown });
    else if (!isGone(answer)) spared.push(nameOf(one));
  }
  // Another client might have sent the same values, so only the tag proves a record.
  for (const { model, sent } of open) {
    const hasList = model.operations.includes('list');
    if (hasList && !isSeen({ model, id: undefined }, await api.list(model.name))) continue;
    const listing = hasList ? await fetchList(api, model.name) : undefined;
    const found = listing?.records.filter((one) => isId(one.id) && mightBeSent(model, sent, one)) ?? [{}];
    for (const shown of found) {
      const one: Made = { model, id: isId(shown.id) ? shown.id : undefined, shown };
      if ([...ours.map(nameOf), ...spared].includes(nameOf(one))) continue;
      if (isTagged(shown, tag)) ours.push(one);
      else spared.push(nameOf(one));
    }
  }
  const [refusal] = unseen.values();
  if (refusal && seen === 0) {
    const why = `${refusal.asked} returned ${refusal.status}. No record was removed`;
    if (refusal.status >= 500) throw new NoAnswer(`${why}; try again later`, '', true);
    throw new UsageError(`${why}. Pass other credentials, with --bearer, --basic, or --api-key.`);
  }
  const names = ours.map(nameOf);
  if (dryRun) return { removed: names, spared, unseen, left: [] as readonly string[] };
  const registry = createRegistry(contract, api);
  const watched = createApi({ target, catalogue, profile: () => profile, watchers: [registry] });
  for (const one of ours) registry.add(one);
  const removal = createRemoval({ api: watched, registry, list: async () => undefined });
  await removal.finish();
  const left = removal.leftovers();
  return { removed: names.filter((name) => !left.includes(name)), spared, unseen, left };
}
