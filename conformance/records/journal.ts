import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { findRecord, type Id, idInLocation, isAccepted, isId, isRefused } from '../api/answer.ts';
import type { ApiCall, Watcher } from '../api/api.ts';
import { skip } from '../assert/ending.ts';
import { Lost } from '../target/exchange.ts';
import { nameOf } from './identity.ts';

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

export type JournalOptions = {
  readonly path: string;
  readonly target: string;
  readonly tag: string;
  /** Redacts credentials in a record. */
  readonly redact?: ((text: string) => string) | undefined;
};

/**
 * A write-ahead file of the records that a run creates, with one JSON value per line. It has each create before it is
 * sent, the ID after it, and each accepted delete. `record-model clean FILE` removes the records after a killed run.
 */
export type Journal = ReturnType<typeof createJournal>;

/**
 * Creates a journal; its file is written with the first create. The file must be new, because another run might still
 * need an existing one.
 */
export function createJournal({ path, redact, tag, target }: JournalOptions) {
  let file: number | undefined;
  let last = 0;
  let spoken = '';
  return {
    path,
    /** Returns a watcher that writes the requests of a run; `isForeign` says whether a record had the ID before the run. */
    watch(catalogue: Catalogue, isForeign: (model: Model, id: unknown) => boolean): Watcher {
      const intents = new WeakMap<ApiCall, number>();
      return {
        async before(call) {
          const name = nameIn(call);
          if (call.operation === 'update' && name && call.sent) write({ changed: name, values: call.sent });
          if (!mayCreate(call) || !catalogue.models.has(call.model ?? '')) return;
          open(call.profile);
          intents.set(call, ++last);
          write({ create: call.model ?? '', n: last, sent: call.sent ?? {} });
          // A create is not sent again, so it does not use a connection that the service has just closed.
          await turn();
        },
        failed(call, error) {
          const name = error instanceof Lost ? nameIn(call) : undefined;
          if (name) note({ removed: name });
        },
        answered(call, answer) {
          const model = catalogue.models.get(call.model ?? '');
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
    return model !== undefined && isId(id) ? nameOf({ model: { name: model }, id }) : undefined;
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

/** Whether a request can create a record: a create, or an unknown method that a service treats as a create. */
export function mayCreate({ id, request: { method } }: ApiCall): boolean {
  return method === 'PUT' || method === 'PATCH' || (method === 'POST' && id === undefined);
}
