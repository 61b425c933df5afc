import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isGone } from '../../api/answer.ts';
import { isCopy } from '../../assert/agreement.ts';
import { Blocked, Skip } from '../../assert/failure.ts';
import { createAccepted } from '../../cases/remedy.ts';
import type { CaseContext, Question } from '../../cases/rule.ts';
import { integerIdIn, UNKNOWN_ID } from '../../records/ids.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { needCreate } from './updates.ts';

const MOST_IDS_TRIED = 3;

/** An ID that no record has. Where a write to a record would harm others, a retrieve proves it first. */
export const unusedId: Question<number> = {
  name: 'unused id',
  async ask({ api, isDisposable, model }) {
    if (isDisposable || !model.operations.includes('retrieve')) return UNKNOWN_ID;
    for (let id = UNKNOWN_ID; id > UNKNOWN_ID - MOST_IDS_TRIED; id--)
      if (isGone(await api.retrieve(model.name, id))) return id;
    throw new Skip(`every ID that the suite tried for a missing ${model.name} has a record`);
  },
};

/** The answer to a list that is asked for without a query. */
export const plainList: Question<Answer> = {
  name: 'plain list',
  againAfter5xx: true,
  ask: ({ api, model }) => api.list(model.name),
};

/** What a create with nothing but required values, and a retrieve after it, were answered. */
export type Minimal = { readonly created: Answer; readonly retrieved: Answer };

/** The answer to a create with nothing but required values, and what it sent. */
export const bareCreate: Question<Pick<MadeRecord, 'answer' | 'sent'>> = {
  name: 'bare create',
  againAfter5xx: true,
  ask: (context) => createAccepted(context, 'required'),
};

export const minimal: Question<Minimal> = {
  name: 'minimal',
  againAfter5xx: true,
  async ask(context) {
    const { records } = context;
    const { answer, id } = madeIn(context, await context.ask(bareCreate)) ?? (await records.make());
    return { created: answer, retrieved: await records.retrieve(id) };
  },
};

/** A record that was made with all writable fields, in wire form, and is never written again. */
export const whole: Question<RecordValues> = {
  name: 'whole',
  againAfter5xx: true,
  ask: (context) => onShared(context, three, ({ older }) => context.records.read(older.id)),
};

/** A record with the required fields, for requests that have to leave it as it is. */
export const one: Question<MadeRecord> = { name: 'one', ask: ({ records }) => records.make() };

/** Three records of a model, made one after the other with all writable fields. */
export type Three = {
  readonly older: MadeRecord;
  /** A retrieve of the first one while it was the only one. */
  readonly alone: Answer;
  /** The one that cases may update and delete. */
  readonly own: MadeRecord;
  readonly newer: MadeRecord;
};

export const three: Question<Three> = {
  name: 'three',
  async ask(context) {
    const { api, model, records, samples } = context;
    await needCreate(context);
    const make = () => records.make(samples.values('all'));
    const older = await make();
    const alone = await api.retrieve(model.name, older.id);
    return { older, alone, own: (await makeNamesake(context, older)) ?? (await make()), newer: await make() };
  },
};

/** The texts of a record by which a service may take another one for it: none that may be copied from another record. */
export function textsOf({ catalogue, model, samples }: CaseContext, sent: RecordValues): RecordValues {
  const texts = model.fields.filter(
    (field) =>
      ['string', 'text'].includes(field.type) &&
      Object.hasOwn(sent, field.name) &&
      !samples.isUnique(field) &&
      !isCopy(field, catalogue),
  );
  return Object.fromEntries(texts.map(({ name }) => [name, sent[name] ?? null]));
}

/** Another record with the same texts, so that a service shows which takes them for its key; some want them to differ. */
async function makeNamesake(context: CaseContext, other: MadeRecord): Promise<MadeRecord | undefined> {
  const { records, samples } = context;
  const values = { ...samples.values('all'), ...textsOf(context, other.sent) };
  return madeIn(context, await records.createFresh(values));
}

/** The record that a create answered with; undefined where it answered with no new one. */
function madeIn(
  { api, model, records }: CaseContext,
  { answer, sent }: Pick<MadeRecord, 'answer' | 'sent'>,
): MadeRecord | undefined {
  const id = integerIdIn(api, answer);
  return id === undefined || records.wasThere(id) ? undefined : { model, id, sent, answer };
}

/**
 * Judges by what cases of a model share. Where that can't be read any more, because another case took it away, the
 * same is made once more for this case alone.
 */
export async function onShared<T, Found>(
  context: CaseContext,
  question: Question<T>,
  judge: (found: T) => Promise<Found>,
): Promise<Found> {
  try {
    return await judge(await context.ask(question));
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    return judge(await question.ask(context));
  }
}
