import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted, isRefused } from '../api/answer.ts';
import type { Call, Watcher } from '../api/api.ts';
import { findRecord, type Id, idInLocation, isId } from '../api/places.ts';
import { nameOf } from '../book/identity.ts';

/**
 * A file of what a run makes, written ahead: the intent of each create before it is sent, its id after, and what is
 * deleted. Whatever ends the run, `record-model clean FILE` removes what stands there. One JSON value a line.
 */
export type Journal = {
  readonly path: string;
  /** Sees the requests of a run; `isForeign` tells ids that records had before. */
  watch(catalogue: Catalogue, isForeign: (model: Model, id: unknown) => boolean): Watcher;
  /** The end of the run. The file goes where nothing is left; else it says what is, as `model/id`. */
  finish(leftovers: readonly string[]): void;
};

/** The lines of a journal. */
export type JournalLine =
  | {
      readonly journal: 1;
      readonly target: string;
      readonly tag: string;
      readonly startedAt: string;
      /** The settings of the profile that is needed to ask for a record again. */
      readonly profile: Readonly<Record<string, unknown>>;
    }
  /** Settings that were learned since. */
  | { readonly profile: Readonly<Record<string, unknown>> }
  | { readonly create: string; readonly n: number; readonly sent: RecordValues }
  | { readonly refused: number }
  | { readonly made: number; readonly id?: Id; readonly shown?: RecordValues }
  /** What an update sends or, once it is answered, what it shows: the record is known by these values too. */
  | { readonly changed: string; readonly values: RecordValues }
  /** A delete that is about to be sent. */
  | { readonly deleting: string }
  | { readonly removed: string }
  | { readonly left: string };

export type JournalOptions = {
  readonly path: string;
  readonly target: string;
  readonly tag: string;
  /** Takes credentials out of a text that a record may repeat. */
  readonly redact?: ((text: string) => string) | undefined;
};

/** The file is made with the first create. It must not be there: another run may still need it. */
export function createJournal({ path, redact, tag, target }: JournalOptions): Journal {
  let file: number | undefined;
  /** Lines that are not written yet. */
  let held = '';
  let soon: Promise<void> | undefined;
  let last = 0;
  let spoken: { readonly profile: Call['profile']; readonly text: string } | undefined;
  return {
    path,
    watch(catalogue, isForeign) {
      const intents = new WeakMap<Call, number>();
      return {
        before(call) {
          const model = catalogue.models.get(call.model ?? '');
          if (!model) return undefined;
          if (call.operation === 'update' && isId(call.id) && call.sent)
            return write({ changed: nameOf({ model, id: call.id }), values: call.sent });
          // A full disk must not prevent a delete.
          if (call.operation === 'delete' && isId(call.id))
            return write({ deleting: nameOf({ model, id: call.id }) }).catch(() => {});
          if (!mayCreate(call)) return undefined;
          open(call);
          intents.set(call, ++last);
          return write({ create: model.name, n: last, sent: call.sent ?? {} });
        },
        answered(call, answer) {
          const model = catalogue.models.get(call.model ?? '');
          if (!model) return;
          if (call.operation === 'delete' && isId(call.id) && isAccepted(answer))
            write({ removed: nameOf({ model, id: call.id }) });
          const updated = call.operation === 'update' && isId(call.id) && isAccepted(answer);
          const after = updated ? findRecord(model, answer.json)?.value : undefined;
          if (after) write({ changed: nameOf({ model, id: call.id }), values: after });
          const made = intents.get(call);
          if (made === undefined) return;
          // What is neither, such as a 5xx, may have stored something all the same.
          if (isRefused(answer)) write({ refused: made });
          if (!isAccepted(answer)) return;
          const shown = findRecord(model, answer.json)?.value;
          const id = [shown?.id, idInLocation(answer.headers)]
            .filter(isId)
            .find((one) => !isForeign(model, one));
          write({ made, ...(id === undefined ? {} : { id }), ...(shown ? { shown } : {}) });
        },
      };
    },
    finish(leftovers) {
      if (file === undefined) return;
      for (const left of leftovers) write({ left });
      try {
        flush();
      } catch {
        // The results say too what is left.
      }
      closeSync(file);
      file = undefined;
      if (leftovers.length === 0) rmSync(path, { force: true });
    },
  };

  function open({ profile: spokenNow }: Call): void {
    if (spoken?.profile === spokenNow) return;
    const { unknown: _, ...profile } = spokenNow;
    const text = JSON.stringify(profile);
    if (file === undefined) {
      // Never through a link, and never over what another run left.
      file = tryTo(() => openSync(path, 'wx', 0o600));
      // What was noted before is about no record of the run.
      held = '';
      write({ journal: 1, target, tag, startedAt: new Date().toISOString(), profile });
    } else if (text !== spoken?.text) write({ profile });
    // Not before: while there is no file, each create is to fail.
    spoken = { profile: spokenNow, text };
  }

  /** Resolves when the line is written: one write for those of a turn, since requests go side by side. */
  function write(line: JournalLine): Promise<void> {
    const hide = (_: string, value: unknown) => (typeof value === 'string' ? redact?.(value) : value);
    held += `${redact ? JSON.stringify(line, hide) : JSON.stringify(line)}\n`;
    soon ??= turn().then(flush);
    // Whoever is about to make a record is told; the lines stay for the next one.
    soon.catch(() => {});
    return soon;
  }

  function flush(): void {
    soon = undefined;
    try {
      // What a file that is closed would say, the results say.
      const to = file;
      if (to !== undefined) tryTo(() => writeFileSync(to, held));
      held = '';
    } catch (error) {
      // Where the disk is full a part may stand there: what is written again begins a line.
      held = `\n${held}`;
      throw error;
    }
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

/** Whether a request may make a record: a create, or an unknown method that a service takes for one. */
export function mayCreate({ id, request: { method } }: Call): boolean {
  return method === 'PUT' || method === 'PATCH' || (method === 'POST' && id === undefined);
}
