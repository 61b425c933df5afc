import { type Answer, isAccepted } from '../api/answer.ts';
import { nothingToSee } from '../assert/expect.ts';
import { Blocked } from '../plan/rule.ts';
import type { CaseContext, SeenRecord } from './context.ts';
import { retrieveListed } from './listed-records.ts';

/** The record that an answer shows; none where it is no success, or shows none. */
export function seenIn({ api }: CaseContext, from: string, answer: Answer | undefined): SeenRecord[] {
  const record = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
  return record ? [{ from, record, exchange: answer?.exchange }] : [];
}

/**
 * Every record of the model that an answer shows; throws Skip or Blocked where there is none. The first ones come
 * from few requests, so that what they tell costs no more.
 */
export async function* seenRecords(context: CaseContext): AsyncGenerator<SeenRecord> {
  const { records } = await context.observe();
  if (records.length === 0) throw await nothingToSee(context);
  yield* records;
  yield* await context.ask(lookFurther);
}

/** Records after each update, with nothing but required values, and after a delete; and some that the list holds. */
async function lookFurther(context: CaseContext): Promise<readonly SeenRecord[]> {
  const { made } = await context.observe();
  const has = (operation: 'update' | 'delete') => made && context.model.operations.includes(operation);
  const updates = has('update') ? await unlessBlocked(() => context.updates()) : undefined;
  const minimal = made && (await unlessBlocked(() => context.minimal()));
  const deletion = has('delete') ? await unlessBlocked(() => context.deletion()) : undefined;
  const listed = await unlessBlocked(() => context.ask(retrieveListed));
  const see = (from: string, answer: Answer | undefined) => seenIn(context, from, answer);
  return [
    ...(updates ?? []).flatMap(({ answer, field, seen }) => [
      ...see(`update of ${field.name}`, answer),
      ...see(`retrieve after an update of ${field.name}`, seen),
    ]),
    ...see('create', minimal?.created),
    ...see('retrieve', minimal?.retrieved),
    ...see('retrieve after a delete', deletion?.retrieved),
    ...(listed ?? []).flatMap(({ retrieved }) => see('retrieve', retrieved)),
  ];
}

/** What can't be looked at shows nothing; whether it should be there, other rules say. */
async function unlessBlocked<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Blocked) return undefined;
    throw error;
  }
}
