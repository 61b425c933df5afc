import type { Model } from '../../spec/catalogue.ts';
import type { Field } from '../../spec/field.ts';
import { valueAt } from '../../spec/json-pointer.ts';
import type { Profile, SettingName } from '../../spec/profile.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Answer, isAccepted, isRefused, pathOf } from '../api.ts';
import type { CaseContext } from '../context.ts';
import { expectAccepted, expectRefused, needCreate, needCredentials, statusOf } from '../expect.ts';
import { Blocked, type Case, Failure, once, type Rule, Skip } from '../rule.ts';
import { writableFields } from '../values.ts';
import { show } from '../wire-check.ts';

const UNKNOWN_ID = 2_147_483_647;

/** How requests are written and answered under the profile: bodies, statuses, errors, credentials, limits. */
export const profileRequestRules: readonly Rule[] = [
  {
    id: 'profile.request.encoding',
    title: 'A body in the encoding of the profile is read',
    requirement: 'encoding-not-shown',
    level: 'assumed',
    setting: 'request.encoding',
    needs: ['create'],
    cases: once(async (context) => {
      const { created } = await context.observe();
      if (!created || isAccepted(created)) return;
      const other = context.profile['request.encoding'] === 'json' ? 'form' : 'json';
      const body = context.codec.encodeNamed(context.model.name, context.values('all'));
      const again = await context.apiWith({ 'request.encoding': other }).create(context.model.name, body);
      context.adopt(again);
      if (isAccepted(again))
        throw new Failure(
          'the target reads another encoding',
          `request.encoding ${context.profile['request.encoding']}`,
          `request.encoding ${other}`,
        );
      await needCreate(context);
    }),
  },
  {
    id: 'profile.request.unknownFields',
    title: 'A field the model does not have is refused or ignored, as the profile says',
    requirement: 'fields-of-the-model',
    level: 'assumed',
    setting: 'request.unknownFields',
    needs: ['create'],
    cases: once(async (context) => {
      const answer = await createWith(context, { notAField: 'x' });
      expectOption(context, 'request.unknownFields', answer, 'reject');
      if (isAccepted(answer) && Object.hasOwn(context.api.recordIn(answer) ?? {}, 'notAField'))
        throw new Failure(
          'a field the model does not have is shown',
          'no field notAField',
          show(answer.json),
        );
    }),
  },
  {
    id: 'profile.request.readonlyFields',
    title: 'A readonly field is ignored or refused, as the profile says',
    requirement: 'field-readonly',
    level: 'assumed',
    setting: 'request.readonlyFields',
    needs: ['create'],
    cases: (model) =>
      model.fields
        .filter((field) => field.readonly)
        .map((field) => ({
          field,
          run: async (context) => {
            const { profile } = context;
            const value = WIRE_TYPES[field.type].encode(
              WIRE_TYPES[field.type].sample(context.number(), { field, profile }),
              { field, profile },
            );
            expectOption(
              context,
              'request.readonlyFields',
              await createWith(context, { [field.name]: value }),
              'reject',
            );
          },
        })),
  },
  {
    id: 'profile.request.update',
    title:
      'An update with a single field keeps the rest, or unsets it and asks for what is required, as the profile says',
    requirement: 'operation-update',
    level: 'assumed',
    setting: 'request.update',
    needs: ['create', 'retrieve', 'update'],
    cases: (model) => (writableFields(model).length < 2 ? [] : once(updateWithSingleField)()),
  },
  ...(
    [
      ['status.created', ['create'], async (context) => (await context.observe()).created],
      ['status.updated', ['create', 'update'], async (context) => (await context.observe()).updated],
      ['status.deleted', ['create', 'delete'], deleteOne],
      ['status.unknownRecord', ['retrieve'], ({ api, model }) => api.retrieve(model.name, UNKNOWN_ID)],
      ['status.unknownModel', [], ({ api, model }) => api.list(`${model.name}${model.name.at(-1)}`)],
      [
        'status.noOperation',
        ['create'],
        ({ api, model }) =>
          api.send({
            method: 'PATCH',
            path: pathOf(model.name, UNKNOWN_ID),
            body: '{}',
            headers: { 'content-type': 'application/json' },
          }),
      ],
      [
        'status.unparsable',
        ['create'],
        ({ api, model }) =>
          api.send({
            method: 'POST',
            path: pathOf(model.name),
            body: 'no body',
            headers: { 'content-type': 'text/plain' },
          }),
      ],
    ] satisfies [SettingName, Rule['needs'], (context: CaseContext) => Promise<Answer | undefined>][]
  ).map(([setting, needs, ask]) => statusRule(setting, needs, ask)),
  {
    ...statusRule('status.invalid', ['create'], async () => undefined),
    cases: (model, { profile }) => {
      const fault = faultIn(model, profile);
      if (!fault) return [];
      return once(async (context) => {
        await needCreate(context);
        const { [fault.field.name]: _, ...values } = context.values('required');
        const body = { ...context.codec.encodeNamed(model.name, values), ...fault.wire };
        const answer = await context.api.create(model.name, body);
        context.adopt(answer);
        expectStatus(context.profile, 'status.invalid', answer);
      })();
    },
  },
  {
    id: 'profile.errors.form',
    title: 'The body of an error has the form the profile says',
    requirement: 'errors-not-shown',
    level: 'assumed',
    setting: 'errors.form',
    needs: ['retrieve'],
    cases: once(async ({ api, model, profile }) => {
      const answer = await api.retrieve(model.name, UNKNOWN_ID);
      if (isAccepted(answer)) throw new Skip('an unknown record is no error here');
      const form = errorForm(answer);
      if (form !== profile['errors.form'])
        throw new Failure(
          'an error has another form',
          `errors.form ${profile['errors.form']}`,
          `${form}: ${show(answer.body)}`,
        );
    }),
  },
  {
    id: 'profile.auth.scheme',
    title: 'A request without credentials is answered with 401',
    requirement: 'authentication-not-shown',
    level: 'assumed',
    setting: 'auth.scheme',
    needs: ['list'],
    cases: (model, { profile }) =>
      profile['auth.scheme'] === 'none'
        ? []
        : once(async ({ api }) => {
            const answer = await api.send({
              method: 'GET',
              path: pathOf(model.name),
              without: 'credentials',
            });
            if (answer.status !== 401)
              throw new Failure('a request without credentials', 'status 401', statusOf(answer));
          })(),
  },
  {
    id: 'profile.version.in',
    title: 'A request without the version label is refused',
    requirement: 'version-not-shown',
    level: 'assumed',
    setting: 'version.in',
    needs: ['list'],
    cases: (model, { profile }) =>
      profile['version.in'] === 'none'
        ? []
        : once(async ({ api }) => {
            expectRefused(
              await api.send({ method: 'GET', path: pathOf(model.name), without: 'version' }),
              'a request without the version',
            );
          })(),
  },
  {
    id: 'profile.transitions',
    title: 'A status field moves where the profile allows it, and nowhere else',
    requirement: 'transitions-not-shown',
    level: 'assumed',
    setting: 'transitions',
    needs: ['create', 'retrieve', 'update'],
    cases: (model, { profile }) => model.fields.flatMap((field) => transitionCases(field, profile)),
  },
  {
    id: 'profile.limits.text',
    title: 'A text of the greatest length is taken, a longer one refused',
    requirement: 'limits-not-shown',
    level: 'assumed',
    setting: 'limits.text',
    needs: ['create'],
    cases: (model, { profile }) => {
      const longest = profile['limits.text'];
      if (longest === 'none') return [];
      return writableFields(model)
        .filter(({ type }) => ['string', 'text', 'markdown'].includes(type))
        .map((field) => ({
          field,
          run: async (context) => {
            expectAccepted(
              await createWith(context, { [field.name]: 'x'.repeat(longest) }),
              `${longest} characters`,
            );
            expectRefused(
              await createWith(context, { [field.name]: 'x'.repeat(longest + 1) }),
              `${longest + 1} characters`,
            );
          },
        }));
    },
  },
  {
    id: 'profile.limits.rate',
    title: 'More requests a second than the profile allows are answered with 429',
    requirement: 'limits-not-shown',
    level: 'assumed',
    setting: 'limits.rate',
    needs: ['list'],
    // One case a run: the limit is one of the service, not of a model.
    cases: (model, { catalogue, profile }) =>
      profile['limits.rate'] === 'none' || model !== [...catalogue.models.values()][0]
        ? []
        : once(async () => {
            throw new Skip('a burst of requests is not sent to a service to find its limit');
          })(),
  },
];

function statusRule(
  setting: SettingName,
  needs: Rule['needs'],
  ask: (context: CaseContext) => Promise<Answer | undefined>,
): Rule {
  return {
    id: `profile.${setting}`,
    title: `The status is the one of ${setting}`,
    requirement: 'errors-not-shown',
    level: 'assumed',
    setting,
    needs,
    cases: once(async (context) => {
      const answer = await ask(context);
      if (!answer) return needCreate(context);
      expectStatus(context.profile, setting, answer);
    }),
  };
}

/** Only an answer of the right kind, a yes or a no, says which status stands for it. */
function expectStatus(profile: Profile, setting: SettingName, answer: Answer): void {
  needCredentials(answer);
  const wantsYes = Number(profile[setting]) < 300;
  if (wantsYes !== isAccepted(answer) || (answer.status >= 500 && answer.status !== 501))
    throw new Blocked(`${setting} can't be told from ${answer.asked}: ${statusOf(answer)}`);
  if (answer.status !== profile[setting])
    throw new Failure(
      `the target speaks another ${setting}`,
      `${setting} ${profile[setting]}`,
      statusOf(answer),
    );
}

async function deleteOne(context: CaseContext): Promise<Answer> {
  const { id } = await context.make();
  const answer = await context.api.delete(context.model.name, id);
  if (isAccepted(answer)) context.forget(id);
  return answer;
}

/** Creates a valid record with more fields, in wire form. */
async function createWith(context: CaseContext, more: RecordValues): Promise<Answer> {
  await needCreate(context);
  const body = { ...context.codec.encodeNamed(context.model.name, context.values('required')), ...more };
  const answer = await context.api.create(context.model.name, body);
  context.adopt(answer);
  return answer;
}

/** The answer is a refusal under the option that refuses, a success under the other one. */
function expectOption(context: CaseContext, setting: SettingName, answer: Answer, refusing: string): void {
  const wanted = context.profile[setting];
  needCredentials(answer);
  if (answer.status >= 500)
    throw new Blocked(`${setting} can't be told from ${answer.asked}: ${statusOf(answer)}`);
  if (isRefused(answer) !== (wanted === refusing))
    throw new Failure(`the target speaks another ${setting}`, `${setting} ${wanted}`, statusOf(answer));
}

async function updateWithSingleField(context: CaseContext): Promise<void> {
  const { api, codec, model, profile } = context;
  await needCreate(context);
  const { id } = await context.make(context.values('all'));
  const before = await context.readValues(id);
  const field = writableFields(model).find(
    (candidate) => context.otherValue(candidate, before[candidate.name]) !== undefined,
  );
  if (!field) throw new Skip(`no field of ${model.name} has another value`);
  const change = { [field.name]: context.otherValue(field, before[field.name]) ?? null };
  const answer = await api.update(model.name, id, codec.encodeNamed(model.name, change));
  const after = await context.readValues(id);
  const others = writableFields(model).filter((other) => other !== field && other.lines === undefined);
  const optional = others.filter((other) => !other.required && (before[other.name] ?? null) !== null);
  const lost = optional.filter((other) => (after[other.name] ?? null) === null);
  // One field that is lost is a field that is lost; a full update unsets all that were not sent.
  if (lost.length > 0 && lost.length < optional.length) return;
  const asksForRequired = others.some((other) => other.required);
  const found = lost.length > 0 || (isRefused(answer) && asksForRequired) ? 'full' : 'partial';
  // A full update of a model without other fields that could show it looks like a partial one.
  const telling = asksForRequired || optional.length > 0;
  if (telling && found !== profile['request.update'])
    throw new Failure(
      'the target speaks another request.update',
      `request.update ${profile['request.update']}`,
      `${found}: ${statusOf(answer)}`,
    );
}

/** A fault that any service refuses: a required field that is missing, else a value that is not of its type. */
function faultIn(model: Model, profile: Profile): { field: Field; wire: Record<string, Value> } | undefined {
  const fields = writableFields(model);
  const required = fields.find((field) => field.required);
  if (required) return { field: required, wire: {} };
  for (const field of fields) {
    const [sample] = WIRE_TYPES[field.type].counterSamples({ field, profile });
    if (sample !== undefined) return { field, wire: { [field.name]: sample } };
  }
  return undefined;
}

function errorForm(answer: Answer): 'problem' | 'simple' | 'empty' | 'another' {
  if (answer.body.trim() === '') return 'empty';
  if (answer.headers['content-type']?.startsWith('application/problem+json')) return 'problem';
  return valueAt(answer.json, '/error') === undefined ? 'another' : 'simple';
}

function transitionCases(field: Field, profile: Profile): Case[] {
  const moves = profile.transitions === 'any' ? undefined : profile.transitions[field.key];
  if (!moves) return [];
  return Object.entries(moves).flatMap(([from, targets]) =>
    (field.choices ?? [])
      .filter(({ value }) => String(value) !== from)
      .map(({ value }) => ({
        field,
        detail: `${from}-${value}`,
        run: async (context: CaseContext) => {
          const start = field.choices?.find((choice) => String(choice.value) === from)?.value ?? from;
          const { id, sent } = await context.make({ ...context.values('required'), [field.name]: start });
          const answer = await context.update(id, { [field.name]: value }, sent);
          if (targets.some((target) => String(target) === String(value)))
            expectAccepted(answer, `the move from ${from} to ${value}`);
          else expectRefused(answer, `the move from ${from} to ${value}`);
        },
      })),
  );
}
