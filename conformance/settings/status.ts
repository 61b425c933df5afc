import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile, SettingName } from '../../spec/profile/profile.ts';
import { type Answer, errorFormOf, isAccepted, isRefused } from '../api/answer.ts';
import { type Api, pathOf } from '../api/api.ts';
import { needCredentials, needSomethingToSend, statusOf } from '../assert/assert.ts';
import { Blocked, OtherOption, Skip, speaksAnother } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { describe, type Finding, found, Unlearned, unknown } from '../learn/finding.ts';
import { type Assumption, type CaseContext, once, type Rule } from '../plan/rule.ts';
import { UNKNOWN_ID } from '../records/ids.ts';
import type { Workplace } from '../records/records.ts';
import { writableFields } from '../records/values/values.ts';
import { deletion } from '../rules/questions/deletion.ts';
import { needCreate, observation } from '../rules/questions/updates.ts';
import { easiestModels, type Probe } from './setting.ts';

/** Requests a missing record and a missing model (section 7). */
export const readingRefusalsProbe: Probe = {
  settings: ['status.unknownRecord', 'status.unknownModel', 'errors.form'],
  needs: 'reading',
  async run({ api, catalogue, survey }) {
    const [model] = [...(await survey.lists()).keys()].filter(({ operations }) =>
      operations.includes('retrieve'),
    );
    if (!model) throw new Unlearned('no list succeeded, so a rejection says nothing');
    const record = await api.retrieve(model.name, UNKNOWN_ID);
    return {
      'status.unknownRecord': judgeStatus(record, 'a record that is not there'),
      'status.unknownModel': judgeStatus(
        await listUnknown(api, model, catalogue),
        'a model that is not there',
      ),
      'errors.form': judgeForm(record),
    };
  },
};

/** Sends invalid writes (section 7). */
export const writingRefusalsProbe: Probe = {
  settings: ['status.invalid', 'status.unparsable', 'status.noOperation'],
  needs: 'writing',
  async run(context) {
    const [model] = easiestModels(context, (one) => requiredField(one) !== undefined);
    if (!model) throw new Unlearned('no model with a create has a required field');
    // Skip unless the same request without the fault succeeds.
    const { records, samples } = await context.open(model);
    await records.make();
    const missing = requiredField(model);
    const incomplete = await records.create(samples.values('required', [missing]));
    const place = { api: context.api, records };
    return {
      'status.invalid': judgeStatus(incomplete, `a create without ${missing?.key}`),
      'status.unparsable': judgeStatus(await sendUnparsable(place, model), "a body that can't be parsed"),
      'status.noOperation': judgeStatus(await sendNoOperation(place, model), 'an unknown method'),
    };
  },
};

/** Statuses and the body of errors under the profile: `status.*` and `errors.form`. */
export const statusRules: readonly Assumption[] = [
  ...(
    [
      ['status.created', ['create'], async (context) => (await context.ask(observation)).created],
      [
        'status.updated',
        ['create', 'update'],
        async (context) => {
          const { updated } = await context.ask(observation);
          if (updated) needSomethingToSend(context, updated);
          return updated;
        },
      ],
      ['status.deleted', ['create', 'delete'], async (context) => (await context.ask(deletion)).answer],
      ['status.unknownRecord', ['retrieve'], ({ api, model }) => api.retrieve(model.name, UNKNOWN_ID)],
      ['status.unknownModel', [], ({ api, catalogue, model }) => listUnknown(api, model, catalogue)],
      ['status.noOperation', ['create'], (context) => sendNoOperation(context, context.model)],
      [
        'status.unparsable',
        ['create'],
        async (context) => {
          const { model } = context;
          await needCreate(context);
          const answer = await sendUnparsable(context, model);
          if (isAccepted(answer) && !requiredField(model))
            throw new Skip(
              `${model.name} has no required field, so a malformed body might count as an empty one`,
            );
          return answer;
        },
      ],
    ] satisfies [SettingName, Rule['needs'], (context: CaseContext) => Promise<Answer | undefined>][]
  ).map(([setting, needs, ask]) => statusRule(setting, needs, ask)),
  {
    ...statusRule('status.invalid', ['create'], async () => undefined),
    cases: once(async (context) => {
      const { model, profile } = context;
      const required = requiredField(model);
      // A service may answer another fault, such as a value of another type, with another status.
      if (!required) throw new Skip(`${model.name} has no required field to omit`);
      await needCreate(context);
      const { [required.name]: _, ...values } = context.samples.values('required');
      const answer = await context.api.create(model.name, context.codec.encodeNamed(model.name, values));
      context.records.adopt(answer);
      expectStatus(profile, 'status.invalid', answer);
    }),
  },
  {
    title: 'The body of an error has the form set in the profile',
    requirement: 'errors-not-shown',
    setting: 'errors.form',
    needs: ['retrieve'],
    cases: once(async ({ api, model, profile }) => {
      const answer = await api.retrieve(model.name, UNKNOWN_ID);
      if (isAccepted(answer)) throw new Skip('an unknown record is not an error under this profile');
      const form = errorFormOf(answer) ?? 'another';
      if (form !== profile['errors.form'])
        throw new OtherOption(
          'an error has another format',
          `errors.form ${profile['errors.form']}`,
          `${form}: ${show(answer.body)}`,
        );
    }),
  },
];

function statusRule(
  setting: SettingName,
  needs: Rule['needs'],
  ask: (context: CaseContext) => Promise<Answer | undefined>,
): Assumption {
  return {
    title: `The service returns the status set in ${setting}`,
    requirement: 'errors-not-shown',
    setting,
    needs,
    cases: once(async (context) => {
      const answer = await ask(context);
      if (!answer) return needCreate(context);
      expectStatus(context.profile, setting, answer);
    }),
  };
}

function requiredField(model: Model): Field | undefined {
  return writableFields(model).find(({ required }) => required);
}

/** Lists a model that the catalogue does not have. */
function listUnknown(api: Api, { name }: Model, { models }: Catalogue): Promise<Answer> {
  let unknown = name;
  while (models.has(unknown)) unknown += name.at(-1);
  return api.list(unknown);
}

/** Where a request is sent from, and what takes charge of the records it creates. */
type Place = Pick<Workplace, 'api' | 'records'>;

function sendUnparsable(place: Place, { name }: Model): Promise<Answer> {
  return sendInvalid(place, 'POST', pathOf(name), 'no body', 'text/plain');
}

function sendNoOperation(place: Place, { name }: Model): Promise<Answer> {
  return sendInvalid(place, 'PATCH', pathOf(name, UNKNOWN_ID), '{}', 'application/json');
}

/** Sends an invalid write. If the service creates a record all the same, it is removed later. */
async function sendInvalid(
  { api, records }: Place,
  method: string,
  path: string,
  body: string,
  type: string,
): Promise<Answer> {
  const answer = await api.send({ method, path, body, headers: { 'content-type': type } });
  records.adopt(answer);
  return answer;
}

/** Skips unless the answer is of the expected kind, an acceptance or a refusal. */
function expectStatus(profile: Profile, setting: SettingName, answer: Answer): void {
  needCredentials(answer);
  const wantsYes = Number(profile[setting]) < 300;
  if (wantsYes !== isAccepted(answer) || (answer.status >= 500 && answer.status !== 501))
    throw new Blocked(`${answer.asked} does not show ${setting}: ${statusOf(answer)}`);
  if (answer.status !== profile[setting])
    throw speaksAnother(setting, profile, statusOf(answer), answer.exchange);
}

function judgeStatus(seen: Answer, what: string): Finding {
  if (isAccepted(seen)) return unknown(`${what} is accepted: ${describe(seen)}`);
  if (seen.saysNo)
    return unknown(`only the body shows that ${what} is rejected: ${seen.asked} returned ${seen.status}`);
  return isRefused(seen) || seen.status === 501
    ? found(seen.status, seen)
    : unknown(`${what} is neither accepted nor rejected: ${describe(seen)}`);
}

function judgeForm(seen: Answer): Finding {
  if (isAccepted(seen)) return unknown(`a missing record is not an error: ${describe(seen)}`);
  const form = errorFormOf(seen);
  if (form !== undefined) return found(form, seen);
  return unknown(`an error is neither a problem nor an object with error: ${describe(seen)}`);
}
