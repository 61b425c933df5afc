import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted, readRole } from '../../spec/catalogue/roles.ts';
import { whyFormless } from '../../spec/profile/profile.ts';
import { redactBody } from '../../spec/redaction.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, codingOf, findRecord, isAccepted, isRefused, listsIn } from '../api/answer.ts';
import { agrees } from '../assert/agreement.ts';
import { blocked, failure, skip, whyDenied } from '../assert/ending.ts';
import { show } from '../assert/wire-check.ts';
import type { CaseContext } from './rule.ts';

/** The answer is a success. */
export function expectAccepted(answer: ApiResponse, what: string): void {
  needCredentials(answer);
  if (!isAccepted(answer))
    throw failure(`the target does not accept ${what}`, 'a 2xx status', statusOf(answer), answer.exchange);
}

/** Nothing can be said of a target that does not know who asks. */
export function needCredentials(answer: ApiResponse): void {
  const why = whyDenied(answer);
  if (why !== undefined)
    throw blocked(`${why} (auth): ${answer.asked} returned ${answer.status}`, answer.exchange);
}

/** The answer says no: a 4xx. A 5xx says that something broke. */
export function expectRefused(answer: ApiResponse, what: string): void {
  needCredentials(answer);
  if (!isRefused(answer))
    throw failure(`the target does not reject ${what}`, 'a 4xx status', statusOf(answer), answer.exchange);
}

/** The answer is a success with one record, in wire form. */
export function expectRecord(context: CaseContext, answer: ApiResponse, what: string): RecordValues {
  expectAccepted(answer, what);
  const record = context.api.recordIn(answer);
  if (record) return record;
  const place = pointerFor(context.profile['response.record'], context.model.name);
  const elsewhere = findRecord(context.model, answer.json)?.pointer;
  if (elsewhere !== undefined)
    throw blocked(
      `the record is at "${elsewhere}"; the profile says "${place}" (response.record)`,
      answer.exchange,
      { differs: 'response.record' },
    );
  throw failure(
    `${what} returns no record`,
    `a JSON object at "${place}" (response.record)`,
    bodyOf(answer),
    answer.exchange,
  );
}

function bodyOf(answer: ApiResponse): string {
  return answer.json === undefined
    ? `a body${codingOf(answer)} that is not JSON: ${show(answer.body)}`
    : show(answer.json);
}

/** The id of the record of a success; without it nothing more can be said of the record. */
export function needId(context: CaseContext, answer: ApiResponse, what: string): number {
  const { id } = expectRecord(context, answer, what);
  if (typeof id === 'number' && Number.isInteger(id)) return id;
  throw blocked(`the target accepts ${what}, but the returned id is not an integer: ${show(id)}`);
}

/** The answer is a success with many records, in wire form. */
export function expectRecords(context: CaseContext, answer: ApiResponse): readonly RecordValues[] {
  expectAccepted(answer, 'a list');
  const records = context.api.recordsIn(answer);
  if (records) return records;
  const place = pointerFor(context.profile['response.records'], context.model.name);
  const elsewhere = listsIn(answer.json)[0]?.pointer;
  if (elsewhere !== undefined)
    throw blocked(
      `the records are at "${elsewhere}"; the profile says "${place}" (response.records)`,
      answer.exchange,
      { differs: 'response.records' },
    );
  throw failure(
    'a list returns no records',
    `a JSON list of objects at "${place}" (response.records)`,
    bodyOf(answer),
    answer.exchange,
  );
}

/** Fails for the first of the named fields that does not have the value; both sides are canonical. */
export function expectValues(
  context: CaseContext,
  wanted: RecordValues,
  found: RecordValues,
  what: string,
  answer?: ApiResponse,
): void {
  for (const field of context.model.fields) {
    const value = Object.hasOwn(wanted, field.name) ? wanted[field.name] : undefined;
    if (value === undefined || agrees(field, value, found[field.name])) continue;
    throw failure(`${what}: ${field.name} differs`, show(value), show(found[field.name]), answer?.exchange);
  }
}

/** Whether a record is marked as deleted; throws `blocked` where the mark has the form of another profile. */
export function isMarkedDeleted(context: CaseContext, wire: RecordValues): boolean {
  const { check, model } = context;
  const field = fieldOf(model, 'deleted');
  const deleted = readRole(model, 'deleted', wire);
  const formless = field && deleted && whyFormless(field, context);
  if (formless) throw skip(formless);
  if (field && deleted && check.complaint(field, deleted) !== undefined && check.otherOption(field, deleted))
    throw blocked(
      `types.bool differs: ${field.name} is ${show(deleted)}, which is not a ${field.type} under the profile`,
    );
  return isDeleted(model, check.read(model, wire));
}

/** A refusal of made-up ids says nothing of the target: it may look them up, and rightly refuse them. */
export function needIds({ model, records }: CaseContext, answer: ApiResponse, sent?: RecordValues): void {
  if (records.remedyFor(answer, sent) !== undefined)
    throw blocked(
      `the target rejects a valid ${model.name}: ${statusOf(answer)}${records.explain(answer, sent)}`,
      answer.exchange,
    );
}

/** The answer to an update is a success; where a refusal may be about ids that are found or made up, it is blocked. */
export function expectUpdated(context: CaseContext, answer: ApiResponse, sent?: RecordValues): void {
  needSomethingToSend(context, answer);
  const hint = context.records.remedyFor(answer, sent);
  if (hint !== undefined)
    throw blocked(
      `the target rejects an update of ${withArticle(context.model.name)}: ${statusOf(answer)}${hint}`,
      answer.exchange,
    );
  expectAccepted(answer, 'an update');
}

/** Some services reject an update that changes nothing. Throws `skip` if no field could be sent. */
export function needSomethingToSend({ model }: CaseContext, answer: ApiResponse): void {
  const isOfTheBody = isRefused(answer) && ![401, 403, 404, 405, 410].includes(answer.status);
  const isEmpty = ['', '{}'].includes(answer.exchange.request.body ?? '');
  if (isOfTheBody && isEmpty)
    throw skip(`the target rejects an update without fields, and ${model.name} has none to send`);
}

/** Returns the writable fields of a record and its lines. A service may compute the others again at any time. */
export function lasting(
  context: CaseContext,
  record: RecordValues,
  model: Model = context.model,
): RecordValues {
  const fields = model.fields.filter((field) => !field.readonly);
  return Object.fromEntries(
    fields.map((field) => {
      const value = record[field.name] ?? null;
      const lines = field.lines === undefined ? undefined : context.catalogue.models.get(field.lines);
      if (!lines || !Array.isArray(value)) return [field.name, value];
      return [
        field.name,
        value.map((line) => (typeof line === 'object' ? lasting(context, line, lines) : line)),
      ];
    }),
  );
}

/** `status 422: {"error": …}` */
export function statusOf(answer: ApiResponse): string {
  const body = answer.body.trim();
  return `status ${answer.status}${body === '' ? '' : `: ${show(redactBody(body))}`}`;
}
