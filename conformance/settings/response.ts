import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isIdField } from '../../spec/catalogue/roles.ts';
import { isBodiless, type Profile, profileAt, type SettingName } from '../../spec/profile/profile.ts';
import { placesWith, pointerFor } from '../../spec/wire/model-place.ts';
import {
  type ApiResponse,
  codingOf,
  errorFormOf,
  findRecord,
  findRecords,
  type Id,
  isAccepted,
  isId,
  isObject,
  isRefused,
  listsIn,
  mostNamed,
} from '../api/answer.ts';
import { type ModelApi, pathOf } from '../api/api.ts';
import { show } from '../assert/agreement.ts';
import { blocked, failure, skip } from '../assert/ending.ts';
import { expectRecord, needCredentials, needSomethingToSend, statusOf } from '../cases/assert.ts';
import type { CaseContext, Rule, SharedRequests } from '../cases/rule.ts';
import { isMarked, seenIn, UNKNOWN_ID } from '../records/identity.ts';
import { writableFields } from '../records/values/values.ts';
import { deletion, minimal, needCreate, nothingToSee, observation, one, plainList } from '../rules/shared.ts';
import { wholeUpdate } from '../rules/updates.ts';
import {
  describe,
  type Findings,
  found,
  type LearnedSetting,
  notShown,
  type Observation,
  type Observed,
  seen,
  unknown,
} from './observation.ts';
import type { Probe, ProbeContext } from './probe.ts';
import { updateEffect } from './request.ts';

const MOST_RETRIEVED = 3;

/** The place of the records in a list response (section 4, rule 5). */
export const recordsProbe: Probe = {
  settings: ['response.records'],
  async run({ survey }) {
    const lists = await survey.lists();
    if (lists.size === 0) throw blocked(describeStrange(survey.strange()));
    return judgeRecords(lists);
  },
};

/** The place of a record in a response, from records that exist. */
export const recordProbe: Probe = {
  settings: ['response.record'],
  async run(context) {
    const votes: Vote[] = [];
    for (const { model, id } of await retrievable(context)) {
      const seen = await context.api.retrieve(model.name, id);
      const place = isAccepted(seen) ? findRecord(model, seen.json) : undefined;
      if (!place || String(place.value.id) !== String(id)) continue;
      context.survey.note({ model, record: place.value, from: 'retrieve', answer: seen });
      votes.push({ model, pointer: place.pointer, seen });
    }
    if (votes.length === 0) throw blocked('no list contains a record to retrieve');
    return { 'response.record': judgePlace(votes) };
  },
};

/** The same two after records were made, for a service that had none. */
export const madeEnvelopeProbe: Probe = {
  settings: ['response.records', 'response.record'],
  writes: true,
  async run({ api, survey }) {
    const made = (await survey.records()).filter(({ from }) => from === 'create');
    const lists = new Map<Model, ApiResponse>();
    for (const model of new Set(made.map((one) => one.model))) lists.set(model, await api.list(model.name));
    const votes = made.flatMap(({ answer: seen, model }): Vote[] => {
      const place = findRecord(model, seen.json);
      return place ? [{ model, pointer: place.pointer, seen }] : [];
    });
    return {
      ...judgeRecords(lists),
      ...(votes.length > 0 ? { 'response.record': judgePlace(votes) } : {}),
    };
  },
};

/** The place of records in responses. */
export const placeObservations: readonly Observation[] = [
  {
    setting: 'response.record',
    title: 'A retrieve contains the record at the place set in the profile',
    requirement: 'encoding-not-shown',
    needs: ['retrieve'],
    async observe(context) {
      const { created, records, retrieved } = await context.ask(observation);
      if (created && isAccepted(created) && records.length === 0) return readPlace(context, created);
      if (!retrieved) throw await nothingToSee(context);
      if (!isAccepted(retrieved)) throw blocked(`no ${context.model.name} could be retrieved`);
      const place = readPlace(context, retrieved);
      if ('none' in place) expectRecord(context, retrieved, 'a retrieve');
      return place;
    },
  },
  {
    setting: 'response.records',
    title: 'A list contains the records at the place set in the profile',
    requirement: 'encoding-not-shown',
    needs: ['list'],
    async observe({ api, ask, model, profile }) {
      const answer = await ask(plainList);
      if (!isAccepted(answer) || api.recordsIn(answer)) return seen(profile['response.records'], answer);
      const [place] = listsIn(answer.json);
      if (place) return seen(place.pointer, answer, `a list at "${place.pointer}"`);
      const expected = `a list at "${pointerFor(profile['response.records'], model.name)}"`;
      throw failure('the list contains no records at that place', expected, show(answer.json));
    },
  },
];

/** Returns the option of `response.record` under which a response contains its record. */
function readPlace({ api, model, profile }: CaseContext, answer: ApiResponse): Observed {
  const pointer = api.recordIn(answer) ? undefined : findRecord(model, answer.json)?.pointer;
  if (pointer !== undefined) return seen(pointer, answer, `a record at "${pointer}"`);
  const isThere = isId(api.recordIn(answer)?.id);
  return isThere ? seen(profile['response.record'], answer) : { none: 'the response contains no record' };
}

/** Where an answer shows a record, or records, of a model. */
type Vote = { readonly model: Model; readonly pointer: string; readonly seen: ApiResponse };

function judgeRecords(lists: ReadonlyMap<Model, ApiResponse>): Findings {
  const filled = [...lists].flatMap(([model, seen]) => {
    const place = findRecords(model, seen.json);
    return place ? [{ model, seen, pointer: place.pointer }] : [];
  });
  // An empty list shows its place too where nothing else is a list.
  const empty = [...lists].flatMap(([model, seen]) => {
    const places = listsIn(seen.json);
    return places.length === 1 ? places.map(({ pointer }) => ({ model, seen, pointer })) : [];
  });
  const votes = filled.length > 0 ? filled : empty;
  if (votes.length > 0) return { 'response.records': judgePlace(votes) };
  const said = [...lists.values()].slice(0, 1).map((seen) => `: ${describe(seen)}`);
  return { 'response.records': unknown(`no response contains a list of records${said.join('')}`) };
}

/** The place that most have named: one for all, or one that names the model. */
function judgePlace(votes: readonly Vote[]): LearnedSetting {
  const places = votes.flatMap((vote) =>
    placesWith(vote.pointer, vote.model.name).map((place) => [place, vote] as const),
  );
  const [place = '', { seen }] = mostNamed(places) ?? ['', votes[0] as Vote];
  const named = votes.filter(({ model, pointer }) =>
    pointer.toLowerCase().includes(model.name.toLowerCase()),
  );
  if (place.includes('{') || named.length * 2 <= votes.length) return found(place, seen);
  return unknown(
    `the place of records includes the model name in a form that no profile supports, such as "${named[0]?.pointer}"`,
  );
}

async function retrievable({ survey }: ProbeContext): Promise<{ model: Model; id: Id }[]> {
  const ids = new Map<Model, Id>();
  for (const { model, record } of await survey.records())
    if (model.operations.includes('retrieve') && !isMarked(model, record) && isId(record.id))
      ids.set(model, ids.get(model) ?? record.id);
  // Only a name of two words shows whether the place is stockOrders or stock_orders.
  const isLong = ({ name }: Model) => Number(/[A-Z]/.test(name));
  return [...ids]
    .map(([model, id]) => ({ model, id }))
    .sort((one, other) => isLong(other.model) - isLong(one.model))
    .slice(0, MOST_RETRIEVED);
}

/** Why nothing could be listed. */
export function describeStrange(seen: ApiResponse | undefined): string {
  if (!seen) return 'no list succeeded';
  if (seen.status === 403)
    return `${describe(seen)}; pass credentials that can read (--bearer, --basic, or --api-key)`;
  if (!isAccepted(seen) || seen.json !== undefined) return describe(seen);
  return `${seen.asked} returned ${seen.status} with ${seen.exchange.response.headers['content-type'] ?? 'a body'}${codingOf(seen)} that is not JSON`;
}

/** How a field without a value is shown (section 4, rule 5). */
export const unsetObservation: Observation = {
  setting: 'response.unset',
  title: 'A field without a value appears as set in the profile',
  requirement: 'encoding-not-shown',
  needs: ['retrieve'],
  fields: (field) => !field.required && field.lines === undefined && !isIdField(field),
  async observe(context, field) {
    const { model, profile, readOnly, samples } = context;
    const { key, name } = field;
    const { records: known } = await context.ask(observation);
    const canMake = !readOnly && model.operations.includes('create');
    if (canMake) await needCreate(context);
    // The next run might not show the field, because the service rejects some of its values.
    const why = samples.whyRefused(field);
    if (why !== undefined) return { none: why };
    // A record with nothing but required values.
    const bare = canMake ? seenIn(context, 'retrieve', (await context.ask(minimal)).retrieved) : [];
    const records = [...bare, ...known];
    if (records.length === 0) throw await nothingToSee(context);
    // A field that no response shows is no matter of a form.
    if (!records.some(({ record }) => Object.hasOwn(record, name)))
      return { none: `no response shows ${key}` };
    const shown = records
      .filter(({ record }) => (record[name] ?? null) === null)
      .map(({ answer, record }) => ({
        answer,
        option: name in record ? ('null' as const) : ('absent' as const),
      }));
    const wanted = profileAt(profile, key)['response.unset'];
    const one = shown.find(({ option }) => option !== wanted) ?? shown[0];
    // A service might set an optional field to a value that it chooses.
    return one ? seen(one.option, one.answer, one.option) : { none: `each response has a value of ${key}` };
  },
};

/** Deletes a record that the case created, and looks for it (section 4, rule 6). */
export const deleteObservations: readonly Observation[] = [
  {
    setting: 'delete.effect',
    title: 'Delete removes or marks the record, and shows the mark, as set in the profile',
    requirement: 'deletion-not-shown',
    needs: ['create', 'retrieve', 'delete'],
    applies: (_, model) => fieldOf(model, 'deleted') !== undefined,
    async observe(context) {
      const { answer, isSeen, list, listed, record, retrieved } = await acceptedDeletion(context);
      const { 'delete.effect': own } = context.profile;
      const shown = record ?? listed;
      const evidence = (listed === undefined ? retrieved : list) ?? answer;
      if (!shown) return seen('remove', evidence);
      if (own !== 'remove' && !isMarked(context.model, shown))
        return { none: `a delete returned ${answer.status} but did not change the record` };
      const effect =
        record === undefined ? 'mark-only-listed' : listed === undefined ? 'mark' : 'mark-listed';
      // Without the whole list, nothing shows whether it has the record.
      return isSeen ? seen(effect, evidence) : { ...seen(effect, evidence), alike: ['mark', 'mark-listed'] };
    },
  },
  {
    setting: 'delete.answer',
    title: 'Delete returns the record, nothing, or a flag, as set in the profile',
    requirement: 'operation-delete',
    needs: ['create', 'delete'],
    applies: ({ profile }) => !isBodiless(profile['status.deleted']),
    async observe(context) {
      const { answer, id } = await acceptedDeletion(context);
      const shown = answerOf(context.api, id, answer);
      if (shown !== undefined) return seen(shown, answer);
      const expected = 'delete.answer record, none, or flag';
      throw failure('a delete returns another body', expected, statusOf(answer), answer.exchange);
    },
  },
];

/** A refused delete shows nothing. */
async function acceptedDeletion(context: CaseContext) {
  const aftermath = await context.ask(deletion);
  if (isAccepted(aftermath.answer)) return aftermath;
  throw blocked(
    `the target does not accept a delete of ${withArticle(context.model.name)}: ${statusOf(aftermath.answer)}`,
  );
}

/** Returns the option of `delete.answer`. A record counts only at the place in `response.record`. */
function answerOf(api: ModelApi, id: Id, answer: ApiResponse): Profile['delete.answer'] | undefined {
  if (answer.body.trim() === '') return 'none';
  if (String(api.recordIn(answer)?.id) === String(id)) return 'record';
  return isObject(answer.json) && [true, 1].includes(answer.json.deleted as true | 1) ? 'flag' : undefined;
}

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
        return answer ? readStatus(setting, context, answer) : { none: 'no create was tried' };
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
      const message = 'an error is neither a problem nor an object with error';
      throw failure(message, 'errors.form problem, simple, or empty', show(answer.body), answer.exchange);
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
  const { api, ask, codec, model, records, samples } = context;
  const required = requiredField(model);
  if (!required) throw skip(`${model.name} has no required field to omit`);
  await needCreate(context);
  const { [required.name]: _, ...values } = samples.values('required');
  const answer = await api.create(model.name, codec.encodeNamed(model.name, values));
  records.adopt(answer);
  if (!model.operations.includes('update')) return answer;
  // An update that only its body refuses is another option, too.
  const { id, sent } = await ask(one);
  const updated = await records.update(id, { [required.name]: null }, sent);
  return updated.saysNo && updated.status < 300 ? updated : answer;
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
function readStatus(setting: SettingName, { profile }: CaseContext, answer: ApiResponse): Observed {
  needCredentials(answer);
  const wantsYes = /created|updated|deleted/.test(setting);
  const isRight = wantsYes ? isAccepted(answer) : isRefused(answer) || answer.status === 501;
  if (!isRight) return notShown(setting, answer);
  if (!answer.saysNo || answer.status >= 300) return seen(answer.status, answer);
  const message = `only the body of ${answer.asked} shows that the request is rejected`;
  throw failure(message, `status ${profile[setting]}`, statusOf(answer), answer.exchange);
}
