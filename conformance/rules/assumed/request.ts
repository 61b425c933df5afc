import type { SettingName } from '../../../spec/profile/profile.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { needCredentials, statusOf } from '../../assert/assert.ts';
import { Blocked, Failure, OtherOption, Skip, speaksAnother } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../../plan/rule.ts';
import { linkFields, NOWHERE, telltaleOfLinks } from '../../records/values/samples.ts';
import { writableFields } from '../../records/values/values.ts';
import { needCreate, observation, singleUpdate } from '../questions/updates.ts';
import { readonlyCreate } from '../stated/readonly.ts';

/** How requests are read under the profile: `request.*`. */
export const profileRequestRules: readonly Assumption[] = [
  {
    title: 'A body in the encoding of the profile is accepted',
    requirement: 'encoding-not-shown',
    setting: 'request.encoding',
    needs: ['create'],
    cases: once(async (context) => {
      const { created } = await context.ask(observation);
      if (!created || isAccepted(created)) return;
      const other = context.profile['request.encoding'] === 'json' ? 'form' : 'json';
      const body = context.codec.encodeNamed(context.model.name, context.samples.values('all'));
      const again = await context.api.under({ 'request.encoding': other }).create(context.model.name, body);
      context.records.adopt(again);
      if (isAccepted(again))
        throw new OtherOption(
          'the target expects another encoding',
          `request.encoding ${context.profile['request.encoding']}`,
          `request.encoding ${other}`,
        );
      await needCreate(context);
    }),
  },
  {
    title: 'An unknown field is rejected or ignored, as set in the profile',
    requirement: 'fields-of-the-model',
    setting: 'request.unknownFields',
    needs: ['create'],
    cases: once(async (context) => {
      const answer = await createBeside(context, { notAField: 'x' }, 'request.unknownFields');
      expectOption(context, 'request.unknownFields', answer);
      if (isAccepted(answer) && Object.hasOwn(context.api.recordIn(answer) ?? {}, 'notAField'))
        throw new Failure(
          'the target returns a field that the model does not have',
          'no field notAField',
          show(answer.json),
        );
    }),
  },
  {
    title: 'A readonly field is ignored or rejected, as set in the profile',
    requirement: 'field-readonly',
    setting: 'request.readonlyFields',
    needs: ['create', 'retrieve'],
    cases: once(async (context) => {
      await needCreate(context);
      // One request with all fields: the stated rules check whether each is stored.
      const { answer } = await context.ask(readonlyCreate);
      await needTwin(context, answer, 'request.readonlyFields');
      expectOption(context, 'request.readonlyFields', answer);
    }),
  },
  {
    title: 'A link to a missing record is accepted or rejected, as set in the profile',
    requirement: 'fields-of-the-model',
    setting: 'request.references',
    needs: ['create'],
    cases: (model, { catalogue, references }) => {
      const field = linkFields(model, references).at(0);
      const telltale = telltaleOfLinks(catalogue, references);
      return field === undefined
        ? []
        : [
            {
              field,
              run: async (context) => {
                const answer = await createBeside(context, { [field.name]: NOWHERE }, 'request.references');
                try {
                  expectOption(context, 'request.references', answer);
                } catch (error) {
                  if (model === telltale || !(error instanceof Failure)) throw error;
                  throw new Skip(
                    `the link of ${field.key} is only inferred, so the target might or might not check its IDs`,
                  );
                }
              },
            },
          ];
    },
  },
  {
    title:
      'An update with one field keeps the others, or clears them and needs the required ones, as set in the profile',
    requirement: 'operation-update',
    setting: 'request.update',
    needs: ['create', 'retrieve', 'update'],
    cases: onceWhere((_, model) => writableFields(model).length > 1, updateWithSingleField),
  },
];

/** Creates a valid record with more members; throws Blocked where that should be taken, and is refused without them. */
async function createBeside(context: CaseContext, more: RecordValues, setting: SettingName): Promise<Answer> {
  await needCreate(context);
  const base = context.samples.values('required');
  const answer = await context.records.create(base, { more });
  await needTwin(context, answer, setting, base);
  return answer;
}

/** Throws Blocked where a create is refused that should be taken, and so is one without what was beside. */
async function needTwin(
  { model, profile, records, samples }: CaseContext,
  answer: Answer,
  setting: SettingName,
  base = samples.values('required'),
): Promise<void> {
  const isOdd = isRefused(answer) && profile[setting] !== 'reject';
  const twin = isOdd ? await records.create(base) : undefined;
  if (twin && isRefused(twin))
    throw new Blocked(`the target rejects a valid ${model.name}: ${statusOf(twin)}`, twin.exchange);
}

/** Expects a refusal under the option that refuses, and a success under the other one. */
function expectOption(context: CaseContext, setting: SettingName, answer: Answer): void {
  needCredentials(answer);
  if (answer.status >= 500)
    throw new Blocked(`${answer.asked} does not show ${setting}: ${statusOf(answer)}`);
  if (context.profile[setting] === 'some' || isRefused(answer) === (context.profile[setting] === 'reject'))
    return;
  throw speaksAnother(setting, context.profile, statusOf(answer));
}

async function updateWithSingleField(context: CaseContext): Promise<void> {
  const { model, profile } = context;
  await needCreate(context);
  const { after, answer, before, field } = await singleUpdate(context);
  const others = writableFields(model).filter((other) => other !== field && other.lines === undefined);
  const optional = others.filter((other) => !other.required && (before[other.name] ?? null) !== null);
  const lost = optional.filter((other) => (after[other.name] ?? null) === null);
  // A full update unsets all fields that were not sent; a single lost field is another fault.
  if (lost.length > 0 && lost.length < optional.length) return;
  const asksForRequired = others.some((other) => other.required);
  const found = lost.length > 0 || (isRefused(answer) && asksForRequired) ? 'full' : 'partial';
  // A full update of a model without other fields that could show it looks like a partial one.
  const telling = asksForRequired || optional.length > 0;
  if (telling && found !== profile['request.update'])
    throw speaksAnother('request.update', profile, `${found}: ${statusOf(answer)}`);
}
