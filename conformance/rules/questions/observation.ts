import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { statusOf } from '../../assert/assert.ts';
import { Blocked, Skip } from '../../assert/failure.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import { integerIdIn } from '../../records/ids.ts';
import { type SeenRecord, seenIn } from '../../records/made.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { createWithoutRefused, replaceOtherKinds } from './refused-fields.ts';
import { updateWhole } from './updates.ts';

/** Answers to look at: many rules judge them, so they are asked for once a model. */
export type Observation = {
  /** A record made with all writable fields; undefined where the model can't be created or the create failed. */
  readonly made?: MadeRecord;
  /** The answer to the create, whatever it was. */
  readonly created?: Answer;
  /** The values of the create. */
  readonly sent?: RecordValues;
  readonly retrieved?: Answer;
  /** The answer to an update of all writable fields. */
  readonly updated?: Answer;
  /** The values of this update. */
  readonly change?: RecordValues;
  /** Every record seen, with the operation that showed it. */
  readonly records: readonly SeenRecord[];
};

/** Creates, retrieves, lists and updates one record, and takes in what the list holds already. */
export const observation: Question<Observation> = {
  name: 'observation',
  againAfter5xx: true,
  async ask(context) {
    const { api, model, readOnly, records } = context;
    const seen: SeenRecord[] = [];
    const see = (from: string, answer: Answer): Answer => {
      for (const one of seenIn(context, from, answer)) seen.push(one);
      return answer;
    };
    const has = (operation: (typeof model.operations)[number]) => model.operations.includes(operation);

    let made: MadeRecord | undefined;
    let created: Answer | undefined;
    let tried: RecordValues | undefined;
    if (has('create') && !readOnly) {
      const { answer, sent } = await createWithoutRefused(context, 'all');
      created = see('create', answer);
      tried = sent;
      if (isAccepted(answer)) await replaceOtherKinds(context, sent);
      const id = integerIdIn(api, created);
      if (id !== undefined && !records.wasThere(id)) made = { model, id, sent, answer: created };
    }
    const listing = await records.listing();
    for (const record of listing?.records ?? [])
      if (listing) seen.push({ model, from: 'list', record, answer: listing.first });
    // The source shows no list but the one without a query (section 4).
    const plain = await api.list(model.name);
    for (const record of (isAccepted(plain) && api.recordsIn(plain)) || [])
      seen.push({ model, from: 'list', record, answer: plain });
    const id =
      made?.id ?? seen.find(({ record }) => Number.isInteger(record.id))?.record.id ?? records.boundId();
    const retrieved = id === undefined ? undefined : see('retrieve', await api.retrieve(model.name, id));
    const update = made && has('update') ? await updateWhole(context, made) : undefined;
    if (update) see('update', update.answer);
    return {
      records: seen,
      ...(made ? { made } : {}),
      ...(created ? { created } : {}),
      ...(tried ? { sent: tried } : {}),
      ...(retrieved ? { retrieved } : {}),
      ...(update ? { updated: update.answer, change: update.change } : {}),
    };
  },
};

/** Throws Blocked unless a create of a valid record succeeds: otherwise a refusal of an invalid one proves nothing. */
export async function needCreate(context: CaseContext): Promise<void> {
  const { created, made } = await context.ask(observation);
  if (created && !made)
    throw new Blocked(
      `a valid ${context.model.name} could not be created: ${statusOf(created)}${context.records.explain(created)}`,
      created.exchange,
    );
}

/** Why there is no record to look at, such as that the run may not write. */
export async function nothingToSee(context: CaseContext): Promise<Blocked | Skip> {
  const { model, readOnly, records } = context;
  // Only the owner's data can show a read-only model, and a new database has none of it.
  if (!model.operations.includes('create') && (await records.listing()))
    return new Skip(`there is no ${model.name} record, and none can be created; name one with --bindings`);
  if (readOnly) return new Skip(`there is no ${model.name} record, and a read-only run creates none`);
  await needCreate(context);
  // Where nobody knows how the list shows its records, nobody can tell that it has none.
  return new Blocked(`there is no ${model.name} record; create at least one`, undefined, 'response.records');
}
