import type { Field } from '../../../spec/catalogue/field.ts';
import { type SettingName, whyUnmakeable } from '../../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { agrees } from '../../assert/agreement.ts';
import { needCredentials, needIds, statusOf } from '../../assert/assert.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type CaseContext, once, type Rule } from '../../plan/rule.ts';
import { linkFields, NOWHERE, telltaleOfLinks } from '../../records/values/links.ts';
import { writableFields } from '../../records/values/values.ts';
import { needCreate, observation } from '../questions/observation.ts';

/** How requests are read under the profile: `request.*`. */
export const profileRequestRules: readonly Rule[] = [
  {
    id: 'profile.request.encoding',
    title: 'A body in the encoding of the profile is read',
    requirement: 'encoding-not-shown',
    level: 'assumed',
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
      const answer = await createBeside(context, { notAField: 'x' }, 'request.unknownFields');
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
    cases: (model, { profile }) => {
      // A value whose form nobody knows is refused for its form.
      const fields = model.fields.filter((field) => field.readonly && !whyUnmakeable(field, { profile }));
      // One request with all fields: the stated rules check whether each is stored.
      return once(async (context) => {
        const values = fields.map((field) => [
          field.name,
          WIRE_TYPES[field.type].encode(
            WIRE_TYPES[field.type].sample(context.samples.number(), { field, profile }),
            {
              field,
              profile,
            },
          ),
        ]);
        const answer = await createBeside(context, Object.fromEntries(values), 'request.readonlyFields');
        expectOption(context, 'request.readonlyFields', answer, 'reject');
      })();
    },
  },
  {
    id: 'profile.request.references',
    title: 'A link to a record that does not exist is taken or refused, as the profile says',
    requirement: 'fields-of-the-model',
    level: 'assumed',
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
                  expectOption(context, 'request.references', answer, 'reject');
                } catch (error) {
                  if (model === telltale || !(error instanceof Failure)) throw error;
                  throw new Skip(
                    `what ${field.key} links to is inferred: the target may look up its ids, or not`,
                  );
                }
              },
            },
          ];
    },
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
];

/** Creates a valid record with more members; throws Blocked where that should be taken, and is refused without them. */
async function createBeside(context: CaseContext, more: RecordValues, setting: SettingName): Promise<Answer> {
  await needCreate(context);
  const { model, profile, records, samples } = context;
  const base = samples.values('required');
  const answer = await records.create(base, { more });
  const isOdd = isRefused(answer) && profile[setting] !== 'reject';
  const twin = isOdd ? await records.create(base) : undefined;
  if (twin && isRefused(twin))
    throw new Blocked(`a valid ${model.name} could not be made: ${statusOf(twin)}`, twin.exchange);
  return answer;
}

/** Expects a refusal under the option that refuses, and a success under the other one. */
function expectOption(context: CaseContext, setting: SettingName, answer: Answer, refusing: string): void {
  const wanted = context.profile[setting];
  needCredentials(answer);
  if (answer.status >= 500)
    throw new Blocked(`${setting} can't be told from ${answer.asked}: ${statusOf(answer)}`);
  if (isRefused(answer) === (wanted === refusing)) return;
  if (isRefused(answer)) needIds(context, answer);
  throw new Failure(`the target speaks another ${setting}`, `${setting} ${wanted}`, statusOf(answer));
}

async function updateWithSingleField(context: CaseContext): Promise<void> {
  const { api, codec, model, profile } = context;
  await needCreate(context);
  const sent = context.samples.values('all');
  const next = context.samples.valuesAfter(sent);
  const { id } = await context.records.make(sent);
  const before = await context.records.readValues(id);
  const changed = writableFields(model).filter(
    (candidate) => !agrees(candidate, next[candidate.name] ?? null, before[candidate.name]),
  );
  // The last field, so that the end of a range moves and not its start. A state may allow no move.
  const isPlain = ({ choices, lines }: Field) => choices === undefined && lines === undefined;
  const field = changed.findLast(isPlain) ?? changed.at(-1);
  if (!field) throw new Skip(`no field of ${model.name} has another value`);
  const change = { [field.name]: next[field.name] ?? null };
  const answer = await api.update(model.name, id, codec.encodeNamed(model.name, change));
  const after = await context.records.readValues(id);
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
    throw new Failure(
      'the target speaks another request.update',
      `request.update ${profile['request.update']}`,
      `${found}: ${statusOf(answer)}`,
    );
}
