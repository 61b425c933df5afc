import type { Answer } from '../../api/answer.ts';
import { Blocked, Skip } from '../../assert/failure.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import { type SeenRecord, seenIn } from '../../records/seen-record.ts';
import { deletion } from './deletion.ts';
import { listedRecords } from './listed-records.ts';
import { nothingToSee, observation } from './observation.ts';
import { minimal } from './shared.ts';
import { updates, wholeUpdate } from './updates.ts';

/**
 * Every record of the model that an answer shows; throws Skip or Blocked where there is none. The first ones come
 * from few requests, so that what they tell costs no more.
 */
export async function* seenRecords(context: CaseContext): AsyncGenerator<SeenRecord> {
  const { records } = await context.ask(observation);
  if (records.length === 0) throw await nothingToSee(context);
  yield* records;
  yield* await context.ask(furtherRecords);
}

/** Records after each update, with nothing but required values, and after a delete; and some that the list holds. */
const furtherRecords: Question<readonly SeenRecord[]> = {
  name: 'further records',
  async ask(context) {
    const { made } = await context.ask(observation);
    const has = (operation: 'update' | 'delete') => made && context.model.operations.includes(operation);
    const steps = (has('update') && (await unlessBlocked(() => context.ask(updates)))) || [];
    // Where there is nothing to update, an update of nothing is one too.
    const isBare = has('update') && steps.length === 0;
    const bare = isBare ? await unlessBlocked(() => context.ask(wholeUpdate)) : undefined;
    const least = made && (await unlessBlocked(() => context.ask(minimal)));
    const gone = has('delete') ? await unlessBlocked(() => context.ask(deletion)) : undefined;
    const listed = await unlessBlocked(() => context.ask(listedRecords));
    const see = (from: string, answer: Answer | undefined) => seenIn(context, from, answer);
    return [
      ...steps.flatMap(({ answer, field, seen }) => [
        ...see(`update of ${field.name}`, answer),
        ...see(`retrieve after an update of ${field.name}`, seen),
      ]),
      ...see('update', bare?.answer),
      ...see('retrieve after an update', bare && (await context.api.retrieve(context.model.name, bare.id))),
      ...see('create', least?.created),
      ...see('retrieve', least?.retrieved),
      ...see('retrieve after a delete', gone?.retrieved),
      ...(listed ?? []).flatMap(({ retrieved }) => see('retrieve', retrieved)),
    ];
  },
};

/** A failed retrieve shows no record; other rules judge whether it should succeed. */
async function unlessBlocked<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Blocked || error instanceof Skip) return undefined;
    throw error;
  }
}
