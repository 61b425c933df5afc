import type { Field } from '../../../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../../../spec/types/types.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../../api/answer.ts';
import type { Id } from '../../../api/places.ts';
import { agrees } from '../../../assert/agreement.ts';
import { expectRecord, expectRefused, needId } from '../../../assert/assert.ts';
import { Failure } from '../../../assert/failure.ts';
import { show } from '../../../assert/wire-check.ts';
import type { CaseContext } from '../../../plan/rule.ts';
import { needCreate } from '../../questions/observation.ts';
import { invalidLines, type LinePart, partsShown } from '../../support/in-lines.ts';
import { createWith, updateWith } from '../../support/invalid-requests.ts';
import { minimalRecord, valueUnlike } from './readonly-values.ts';

/** A create with a readonly field in one of its lines does not store it. */
export async function createWithPart(context: CaseContext, place: LinePart): Promise<void> {
  await needCreate(context);
  const { value, wire } = invalidPart(context, place, await minimalRecord(context));
  const answer = await createWith(context, wire);
  if (refused(answer, place.part)) return;
  const id = needId(context, answer, `a create with readonly ${place.part.name} in one of its lines`);
  await expectPartNotStored(context, id, place, value);
}

/** An update with a readonly field in one of its lines does not store it. */
export async function updateWithPart(context: CaseContext, place: LinePart): Promise<void> {
  const made = await context.records.make();
  const { value, wire } = invalidPart(context, place, expectRecord(context, made.answer, 'a create'));
  refused(await updateWith(context, made, wire), place.part);
  await expectPartNotStored(context, made.id, place, value);
}

/** Lines with a value that the service would not choose by itself, and that value in canonical form. */
function invalidPart(context: CaseContext, place: LinePart, record: RecordValues) {
  const { part } = place;
  const [own] = partsShown(record, place);
  const value = valueUnlike(context, part, context.check.readValue(part, own ?? null));
  const wire = WIRE_TYPES[part.type].encode(value, { field: part, profile: context.profile });
  return { value, wire: invalidLines(context, place, wire) };
}

async function expectPartNotStored(context: CaseContext, id: Id, place: LinePart, value: Value) {
  const { lines, part } = place;
  const shown = partsShown(await context.records.read(id), place);
  if (shown.some((own) => agrees(part, value, context.check.readValue(part, own ?? null))))
    throw new Failure(
      `the target stores a sent value of the readonly ${part.name} in one of ${lines.name}`,
      `any value but ${show(value)}`,
      show(shown),
    );
}

/** Whether the request was refused. A service may refuse or ignore a readonly field. */
export function refused(answer: Answer, field: Field): boolean {
  if (isAccepted(answer)) return false;
  expectRefused(answer, `a request with readonly ${field.name}`);
  return true;
}
