import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import { whyFormless } from '../../spec/profile/profile.ts';
import { redactBody } from '../../spec/redaction.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type ApiResponse,
  codingOf,
  findRecord,
  isAccepted,
  isObject,
  isRefused,
  listsIn,
  readJson,
} from '../api/answer.ts';
import { agrees, show } from '../assert/agreement.ts';
import { blocked, differing, failure, skip, unjudged, whyDenied } from '../assert/ending.ts';
import { writableFields } from '../records/values/values.ts';
import type { CaseContext } from './rule.ts';

export function expectAccepted(answer: ApiResponse, what: string): void {
  needCredentials(answer);
  if (!isAccepted(answer))
    throw failure(`the target does not accept ${what}`, 'a 2xx status', statusOf(answer), answer.exchange);
}

/** Nothing can be said of a target that does not know who asks. */
export function needCredentials(answer: ApiResponse): void {
  const why = whyDenied(answer);
  if (why !== undefined) throw blocked(`${why}: ${answer.asked} returned ${answer.status}`, answer.exchange);
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
  const elsewhere = findRecord(context.model, answer.json)?.pointer;
  return context.api.recordIn(answer) ?? refuse(context, answer, 'response.record', what, elsewhere);
}

/** Throws `blocked` if a success has its records in another place, else `failure`. */
function refuse(
  { model, profile }: CaseContext,
  answer: ApiResponse,
  setting: 'response.record' | 'response.records',
  what: string,
  elsewhere: string | undefined,
): never {
  const place = `"${pointerFor(profile[setting], model.name)}" (${setting})`;
  const [kind, form] = setting === 'response.record' ? ['record', 'object'] : ['records', 'list of objects'];
  if (elsewhere === undefined)
    throw failure(
      `${what} returns no ${kind}`,
      `a JSON ${form} at ${place}`,
      bodyOf(answer),
      answer.exchange,
    );
  const message = `${what} has the ${kind} at "${elsewhere}"; the profile says ${place}`;
  throw blocked(message, answer.exchange, { differs: setting });
}

/** The body: if it is JSON, as exchanges show it, without values of others. */
function bodyOf(answer: ApiResponse): string {
  const { body } = answer.exchange.response;
  return answer.json === undefined
    ? `a body${codingOf(answer)} that is not JSON: ${show(answer.body)}`
    : show(readJson(body).json ?? body);
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
  const elsewhere = listsIn(answer.json)[0]?.pointer;
  return context.api.recordsIn(answer) ?? refuse(context, answer, 'response.records', 'a list', elsewhere);
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
    const [expected, shown] = differing(value, found[field.name] ?? null);
    throw failure(`${what}: ${field.name} differs`, show(expected), show(shown), answer?.exchange);
  }
}

/** Whether a record is marked as deleted. Throws `blocked` or `skip` if the mark has another form, or an unknown one. */
export function isMarkedDeleted(context: CaseContext, wire: RecordValues): boolean {
  const { check, model } = context;
  const field = fieldOf(model, 'deleted');
  const mark = field && wire[field.name];
  if (field && mark && check.complaint(field, mark) !== undefined && check.otherOption(field, mark))
    throw blocked(`${field.name} is ${show(mark)}, which is no ${field.type} under the profile`);
  const why = field && mark ? whyFormless(field, context) : undefined;
  if (field && why !== undefined) throw unjudged(`${field.name} is ${show(mark)}: ${why}`);
  return isDeleted(model, check.read(model, wire));
}

/** A refusal of made-up ids says nothing of the target: it may look them up, and rightly refuse them. */
export function needIds(
  { model, records }: CaseContext,
  answer: ApiResponse,
  sent?: RecordValues,
  what = `a valid ${model.name}`,
): void {
  if (records.remedyFor(answer, sent) === undefined) return;
  const why = `${statusOf(answer)}${records.explain(answer, sent)}`;
  throw blocked(`the target rejects ${what}: ${why}`, answer.exchange);
}

/** The answer to an update is a success; where a refusal may be about ids that are found or made up, it is blocked. */
export function expectUpdated(context: CaseContext, answer: ApiResponse, sent?: RecordValues): void {
  needSomethingToSend(context, answer);
  needIds(context, answer, sent, `an update of ${withArticle(context.model.name)}`);
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
  const { models } = context.catalogue;
  const kept = writableFields(model).map(({ lines = '', name }): [string, RecordValues[string]] => {
    const value = record[name] ?? null;
    const line = Array.isArray(value) ? models.get(lines) : undefined;
    if (!line || !Array.isArray(value)) return [name, value];
    return [name, value.map((one) => (isObject(one) ? { ...lasting(context, one, line) } : one))];
  });
  return Object.fromEntries(kept);
}

/** `status 422: {"error": …}` */
export function statusOf(answer: ApiResponse): string {
  const body = answer.body.trim();
  return `status ${answer.status}${body === '' ? '' : `: ${show(redactBody(body))}`}`;
}
