import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import { type ApiResponse, errorFormOf, isAccepted, isRefused } from '../api/answer.ts';
import { pathOf } from '../api/api.ts';
import { show } from '../assert/agreement.ts';
import { failure, skip } from '../assert/ending.ts';
import { needCredentials, needSomethingToSend, statusOf } from '../cases/assert.ts';
import type { CaseContext, Rule, SharedRequests } from '../cases/rule.ts';
import { UNKNOWN_ID } from '../records/identity.ts';
import { writableFields } from '../records/values/values.ts';
import { deletion } from '../rules/shared.ts';
import { needCreate, observation, wholeUpdate } from '../rules/updates.ts';
import { notShown, type Observation, type Observed, seen } from './observation.ts';
import { updateEffect } from './request.ts';

/** The requests whose responses have each status (section 7). */
const ASKED: readonly [SettingName, Rule['needs'], SharedRequests<ApiResponse | undefined>['ask']][] = [
  ['status.created', ['create'], async (context) => (await context.ask(observation)).created],
  ['status.updated', ['create', 'update'], sendUpdate],
  ['status.deleted', ['create', 'delete'], async (context) => (await context.ask(deletion)).answer],
  ['status.unknownRecord', ['retrieve'], ({ ask }) => ask(missing)],
  ['status.unknownModel', [], listUnknown],
  ['status.noOperation', ['create'], (context) => sendInvalid(context, 'PATCH', '{}', 'application/json')],
  ['status.unparsable', ['create'], sendUnparsable],
  ['status.invalid', ['create'], sendIncomplete],
];

/** The statuses of responses, and the body of errors. */
export const statusObservations: readonly Observation[] = [
  ...ASKED.map(
    ([setting, needs, ask]): Observation => ({
      setting,
      title: `The service returns the status set in ${setting}`,
      requirement: 'errors-not-shown',
      needs,
      observe: async (context) => {
        const answer = await ask(context);
        return answer ? readStatus(setting, answer) : { none: 'no create was tried' };
      },
    }),
  ),
  {
    setting: 'errors.form',
    title: 'The body of an error has the form set in the profile',
    requirement: 'errors-not-shown',
    needs: ['retrieve'],
    observe: async ({ ask }) => {
      const answer = await ask(missing);
      if (isAccepted(answer)) return { none: 'a missing record is not an error' };
      const form = errorFormOf(answer);
      if (form !== undefined) return seen(form, answer, show(answer.body));
      throw failure(
        'an error is neither a problem nor an object with error',
        'errors.form problem, simple, or empty',
        show(answer.body),
        answer.exchange,
      );
    },
  },
];

async function sendUpdate(context: CaseContext): Promise<ApiResponse> {
  const isPartial = writableFields(context.model).length > 1;
  const { answer } = isPartial ? await context.ask(updateEffect) : {};
  if (answer && isAccepted(answer)) return answer;
  const whole = await context.ask(wholeUpdate);
  needSomethingToSend(context, whole.answer);
  return whole.answer;
}

/** The answer to a retrieve of a record that does not exist. */
const missing: SharedRequests<ApiResponse> = {
  name: 'missing record',
  againAfter5xx: true,
  ask: ({ api, model }) => api.retrieve(model.name, UNKNOWN_ID),
};

/** Lists a model that the catalogue does not have. */
function listUnknown({ api, catalogue, model: { name } }: CaseContext): Promise<ApiResponse> {
  let unknown = name;
  while (catalogue.models.has(unknown)) unknown += name.at(-1);
  return api.list(unknown);
}

async function sendUnparsable(context: CaseContext): Promise<ApiResponse> {
  const { model } = context;
  await needCreate(context);
  const answer = await sendInvalid(context, 'POST', 'no body', 'text/plain');
  if (isAccepted(answer) && !requiredField(model))
    throw skip(`${model.name} has no required field, so a malformed body might count as an empty one`);
  return answer;
}

/** A service can return another status for another fault, such as a value of another type. */
async function sendIncomplete(context: CaseContext): Promise<ApiResponse> {
  const { api, codec, model, records, samples } = context;
  const required = requiredField(model);
  if (!required) throw skip(`${model.name} has no required field to omit`);
  await needCreate(context);
  const { [required.name]: _, ...values } = samples.values('required');
  const answer = await api.create(model.name, codec.encodeNamed(model.name, values));
  records.adopt(answer);
  return answer;
}

function requiredField(model: Model): Field | undefined {
  return writableFields(model).find(({ required }) => required);
}

/** Sends an invalid write. If the service creates a record all the same, it is removed later. */
async function sendInvalid(
  { api, model, records }: CaseContext,
  method: 'PATCH' | 'POST',
  body: string,
  type: string,
): Promise<ApiResponse> {
  const path = pathOf(model.name, method === 'PATCH' ? UNKNOWN_ID : undefined);
  const answer = await api.send({ method, path, body, headers: { 'content-type': type } });
  records.adopt(answer);
  return answer;
}

/** Returns the status if the response is of the expected kind: a success, or a refusal. */
function readStatus(setting: SettingName, answer: ApiResponse): Observed {
  needCredentials(answer);
  const wantsYes = /created|updated|deleted/.test(setting);
  const isRight = wantsYes ? isAccepted(answer) : isRefused(answer) || answer.status === 501;
  if (!isRight) return notShown(setting, answer);
  if (!answer.saysNo || answer.status >= 300) return seen(answer.status, answer);
  return { none: `only the body of ${answer.asked} shows that the request is rejected: ${statusOf(answer)}` };
}
