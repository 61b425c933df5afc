import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field, Role } from '../../../spec/catalogue/field.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { type Id, isObject } from '../../api/places.ts';
import { agrees, isCopy, isToTheMinute, withoutCopiesInLines } from '../../assert/agreement.ts';
import { expectRecord, expectValues, lasting } from '../../assert/assert.ts';
import { Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import { observation, updates, wholeUpdate } from '../questions/updates.ts';

/**
 * The writable fields that copy or count something else, and of which no write was seen to keep what it sent: the
 * service works them out by itself, of which the source says nothing. A value that is taken once has to be kept always,
 * and one that is only altered was taken.
 */
const workedOut: Question<ReadonlySet<Field>> = {
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

/** What was sent is what is found; throws Skip for a copy that the service seems to work out by itself. */
export async function expectKept(
  context: CaseContext,
  sent: RecordValues,
  found: RecordValues,
  what: string,
  answer?: Answer,
): Promise<void> {
  const { catalogue, model } = context;
  for (const field of model.fields) {
    const value = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
    if (value !== undefined && (await isWorkedOut(context, field, value, found[field.name])))
      throw new Skip(
        `the target never returns ${field.key} as sent; it might compute the field, which the source leaves open`,
      );
  }
  const values = withoutLostSeconds(model, sent, found);
  expectValues(context, withoutCopiesInLines(model, values, catalogue), found, what, answer);
  expectCopiesInLines(context, sent, found, what, answer);
}

/**
 * The values without times that are found without their seconds. Only the whole run tells whether that breaks the
 * contract, so the judge of all exchanges says it.
 */
export function withoutLostSeconds({ fields }: Model, sent: RecordValues, found: RecordValues): RecordValues {
  const lost = fields.filter((field) => isToTheMinute(field, sent[field.name] ?? null, found[field.name]));
  const names = new Set(lost.map(({ name }) => name));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !names.has(name)));
}

/** A copy in a line may have another value than was sent, and not none. */
function expectCopiesInLines(
  { catalogue, model }: CaseContext,
  sent: RecordValues,
  found: RecordValues,
  what: string,
  answer: Answer | undefined,
): void {
  for (const { lines = '', name } of model.fields) {
    const line = catalogue.models.get(lines);
    if (!line || !Object.hasOwn(sent, name)) continue;
    const [given, shown] = [objectsIn(sent[name]), objectsIn(found[name])];
    for (const part of line.fields.filter((field) => isCopy(field, catalogue))) {
      const isLacking = (item: RecordValues) => (item[part.name] ?? null) === null;
      if (given.some(isLacking) || !shown.some(isLacking)) continue;
      throw new Failure(
        `${what}: ${name} lack ${part.name}`,
        show(given.map((item) => item[part.name])),
        show(shown.map((item) => item[part.name])),
        answer?.exchange,
      );
    }
  }
}

function objectsIn(value: Value | undefined): RecordValues[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The value is another one, of a copy of which no write keeps what it sends. */
async function isWorkedOut(
  context: CaseContext,
  field: Field,
  expected: Value,
  found: Value | undefined,
): Promise<boolean> {
  const isOther = found !== undefined && found !== null && !agrees(field, expected, found);
  return isOther && (await context.ask(workedOut)).has(field);
}

/** The value stays as it was; that of a copy may follow something else. */
export async function expectSame(
  context: CaseContext,
  field: Field,
  wanted: RecordValues,
  found: RecordValues,
  message: string,
  answer?: Answer,
): Promise<void> {
  const value = wanted[field.name] ?? null;
  if (await isWorkedOut(context, field, value, found[field.name])) return;
  if (!agrees(field, value, found[field.name]))
    throw new Failure(message, show(value), show(found[field.name]), answer?.exchange);
}

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

/** The common fields that only a create or a delete sets. */
export function originFields({ fields }: Model): Field[] {
  return fields.filter((field) => isIdField(field) || isKeptRole(field.role));
}

function isKeptRole(role: Role | undefined): boolean {
  return role === 'created' || role === 'createdBy' || role === 'deleted';
}

/** The values that no request about another record may change. Readonly fields may be computed anew. */
export function stableValues(context: CaseContext, record: RecordValues): RecordValues {
  return {
    ...Object.fromEntries(originFields(context.model).map(({ name }) => [name, record[name] ?? null])),
    ...lasting(context, record),
  };
}

/** Fails when the record is not there any more, or not what it was. */
export async function expectUnchanged(
  context: CaseContext,
  id: Id,
  before: RecordValues,
  what: string,
): Promise<void> {
  const answer = await context.api.retrieve(context.model.name, id);
  const record = expectRecord(context, answer, `a retrieve of ${what}`);
  expectValues(
    context,
    stableValues(context, before),
    context.check.read(context.model, record),
    what,
    answer,
  );
}

/** Fails when there is a new record with one set of the values that no answer has shown. */
export async function expectNoNewRecord(
  context: CaseContext,
  values: readonly RecordValues[],
  what: string,
  again: () => Promise<unknown>,
): Promise<void> {
  try {
    await context.records.assertNothingStored(values, again);
  } catch (error) {
    throw error instanceof Failure
      ? new Failure(`${what} also creates another record`, error.expected, error.found)
      : error;
  }
}
