import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Answer } from '../../api/answer.ts';
import { isObject } from '../../api/places.ts';
import { agrees, isToTheMinute } from '../../assert/agreement.ts';
import { expectValues } from '../../assert/assert.ts';
import { isCopy, withoutCopiesInLines } from '../../assert/copies.ts';
import { Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext } from '../../plan/rule.ts';
import { workedOut } from '../questions/worked-out.ts';

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
