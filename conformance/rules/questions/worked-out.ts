import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { agrees } from '../../assert/agreement.ts';
import { isCopy } from '../../assert/copies.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import { observation } from './observation.ts';
import { updates, wholeUpdate } from './updates.ts';

/**
 * The writable fields that copy or count something else, and of which no write was seen to keep what it sent: the
 * service works them out by itself, of which the source says nothing. A value that is taken once has to be kept always,
 * and one that is only altered was taken.
 */
export const workedOut: Question<ReadonlySet<Field>> = {
  name: 'worked out',
  async ask(context) {
    const copies = context.model.fields.filter((field) => isCopy(field, context.catalogue));
    if (copies.length === 0) return new Set();
    const writes = await lookAtWrites(context);
    return new Set(
      copies.filter((field) => {
        const pairs = writes.flatMap(([sent, shown]) => {
          const value = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
          return value === undefined ? [] : [[value, shown[field.name] ?? null] as const];
        });
        return (
          pairs.some(([, shown]) => shown !== null) &&
          !pairs.some(([sent, shown]) => agrees(field, sent, shown) || isAltered(sent, shown))
        );
      }),
    );
  },
};

/** What was sent, and what a retrieve showed after it: the answer to a write may repeat what it was sent. */
async function lookAtWrites(context: CaseContext): Promise<(readonly [RecordValues, RecordValues])[]> {
  const { made, retrieved } = await context.ask(observation);
  const created = made ? [[made.sent, readIn(context, retrieved)] as const] : [];
  if (!context.model.operations.includes('update')) return created;
  const steps = await context.ask(updates);
  const { after, change } = await context.ask(wholeUpdate);
  return [
    ...created,
    ...steps.map(({ after, field, value }) => [{ [field.name]: value }, after] as const),
    [change, after],
  ];
}

function readIn({ api, check, model }: CaseContext, answer: Answer | undefined): RecordValues {
  const wire = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
  return wire ? check.read(model, wire) : {};
}

/** Whether what is shown comes of what was sent: a number rounded, or without its sign; a text cut or folded. */
function isAltered(sent: Value, shown: Value): boolean {
  if (typeof sent === 'number' && typeof shown === 'number')
    return Math.abs(Math.abs(sent) - Math.abs(shown)) < 1 && shown !== 0;
  return (
    typeof sent === 'string' &&
    typeof shown === 'string' &&
    shown !== '' &&
    fold(sent).startsWith(fold(shown))
  );
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim();
}
