import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Answer } from '../api/answer.ts';
import { findRecord, type Id } from '../api/places.ts';
import { idsIn, idTooLong, integerIdIn, isWhatWasSent } from './ids.ts';
import type { Made } from './made.ts';
import type { Owner, RecordsCore } from './records-core.ts';

/** Takes charge of what creates of one model made. */
export type Adoption = {
  /** Undefined when the answer shows no id of its own. */
  adopt(answer: Answer, isSure?: boolean): Id | undefined;
  /** Whether an answer shows for sure what the run made. */
  mayAdopt(answer: Answer): boolean;
  /** The id of what a create made, wherever the answer shows it; undefined where it is the id of another record. */
  ownId(answer: Answer): Id | undefined;
  /** The record that an answer shows, in wire form. */
  shownIn(answer: Answer): RecordValues | undefined;
};

export function createAdoption(core: RecordsCore, model: Model, { api, made }: Owner): Adoption {
  const { known, ledger } = core;
  const shownIn = (answer: Answer) => findRecord(model, answer.json)?.value;
  return { adopt, mayAdopt, ownId, shownIn };

  function mayAdopt(answer: Answer): boolean {
    return known.isWhole(model) || isWhatWasSent(model, shownIn(answer), answer.exchange);
  }

  function ownId(answer: Answer): Id | undefined {
    return idsIn(api, model, answer).find((id) => !known.wasThere(model, id));
  }

  function adopt(answer: Answer, isSure = mayAdopt(answer)): Id | undefined {
    const ids = idsIn(api, model, answer);
    const own = isSure ? ownId(answer) : undefined;
    if (ids.length > 0) {
      const record: Made = { model, id: own };
      const shown = shownIn(answer);
      if (shown) {
        record.shown = shown;
        record.isUnproven = !isWhatWasSent(model, shown, answer.exchange);
      }
      made.push(record);
      ledger.add(record);
    }
    if (own !== undefined) known.note(model, own);
    if (answer.inexactId !== undefined) throw idTooLong(model, answer.inexactId);
    const id = core.anyId ? own : integerIdIn(api, answer);
    return !isSure || known.wasThere(model, id) ? undefined : id;
  }
}
