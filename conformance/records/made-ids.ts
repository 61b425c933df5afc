import type { Model } from '../../spec/catalogue/catalogue.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { findRecord, idInLocation } from '../api/places.ts';
import { Blocked } from '../plan/rule.ts';

/** The id of the record that a create made, where the answer shows it as it should. */
export function idIn(api: Api, answer: Answer): number | undefined {
  const id = isAccepted(answer) ? api.recordIn(answer)?.id : undefined;
  return typeof id === 'number' && Number.isInteger(id) ? id : undefined;
}

/** The same wherever it is shown, and in whatever form, the likeliest first: the record has to go all the same. */
export function idsToRemove(api: Api, model: Model, answer: Answer): (number | string)[] {
  if (!isAccepted(answer)) return [];
  const shown = [idIn(api, answer), idInLocation(answer.headers), strayIdIn(model, answer)];
  return shown.filter((id) => id !== undefined);
}

/** Nothing is judged by an id that is rounded, nor is anything sent to it. */
export function idTooLong({ name }: Model, id: string): Blocked {
  return new Blocked(
    `the id ${id} of a ${name} is beyond 2^53: it can't be told from its neighbours, so nothing more is sent`,
  );
}

function strayIdIn(model: Model, { json }: Answer): number | string | undefined {
  const id = String(findRecord(model, json)?.value.id);
  if (/^\d{1,15}$/.test(id)) return Number(id);
  return /^\d{16,40}$/.test(id) ? id : undefined;
}
