import type { Answer } from '../../api/answer.ts';
import { needCreate } from '../../assert/expect.ts';
import { Blocked } from '../../plan/rule.ts';
import type { CaseContext, MadeRecord, Question } from '../../records/context.ts';

/** Three records of a model, made one after the other with all writable fields. */
export type Three = {
  readonly older: MadeRecord;
  /** A retrieve of the first one while it was the only one. */
  readonly alone: Answer;
  /** The one that cases may update and delete. */
  readonly own: MadeRecord;
  readonly newer: MadeRecord;
};

export async function makeThree(context: CaseContext): Promise<Three> {
  await needCreate(context);
  const make = () => context.make(context.values('all'));
  const older = await make();
  const alone = await context.api.retrieve(context.model.name, older.id);
  return { older, alone, own: await make(), newer: await make() };
}

/** A record with the required fields, for requests that have to leave it as it is. */
export function makeOne(context: CaseContext): Promise<MadeRecord> {
  return context.make();
}

/**
 * Judges by what cases of a model share. Where that can't be read any more, because another case took it away, the
 * same is made once more for this case alone.
 */
export async function onShared<T>(
  context: CaseContext,
  question: Question<T>,
  judge: (found: T) => Promise<void>,
): Promise<void> {
  try {
    await judge(await context.ask(question));
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    await judge(await question(context));
  }
}
