import { valueAt } from '../../spec/json-pointer.ts';
import { type Profile, SETTINGS, type SettingName } from '../../spec/profile.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import { type Answer, isAccepted } from '../api.ts';
import type { CaseContext, SeenRecord } from '../context.ts';
import { expectRecord, needCreate, nothingToSee, statusOf } from '../expect.ts';
import { fetchList, totalOf } from '../listing.ts';
import { Blocked, eachField, Failure, once, type Rule } from '../rule.ts';
import { show, typeSetting } from '../wire-check.ts';

/** How answers look under the profile: forms of values, envelope, unset fields, what a delete does. */
export const profileAnswerRules: readonly Rule[] = [
  ...SETTINGS.filter(({ name }) => name.startsWith('types.')).map((setting): Rule => {
    const name = setting.name as SettingName;
    return {
      id: `profile.${name}`,
      title: `A value of the type has the form the profile says: ${setting.about.replace(/\.$/, '')}`,
      requirement: 'types-not-shown',
      level: 'assumed',
      setting: name,
      needs: [],
      cases: eachField(
        (field) => typeSetting(field) === name,
        async (context, field) => {
          const { records } = await context.observe();
          if (records.length === 0) throw await nothingToSee(context);
          for (const { from, record } of records) {
            const value = record[field.name];
            if (value === undefined || value === null) continue;
            const option = context.check.complaint(field, value) && context.check.otherOption(field, value);
            if (option !== undefined)
              throw new Failure(
                `${field.name} in an answer to ${from} speaks another profile`,
                `${name} ${context.profile[name]}`,
                `${name} ${option}: ${show(value)}`,
              );
          }
        },
      ),
    };
  }),
  {
    id: 'profile.response.record',
    title: 'The record of a retrieve stands where the profile says',
    requirement: 'encoding-not-shown',
    level: 'assumed',
    setting: 'response.record',
    needs: ['retrieve'],
    cases: once(async (context) => {
      const { retrieved } = await context.observe();
      if (!retrieved) throw await nothingToSee(context);
      if (!isAccepted(retrieved))
        throw new Blocked(`no ${context.model.name} could be retrieved`);
      if (expectRecord(context, retrieved, 'a retrieve').id === undefined)
        throw new Failure(
          'what stands there is no record',
          'an object with id',
          show(context.api.recordIn(retrieved)),
        );
    }),
  },
  {
    id: 'profile.response.records',
    title: 'The records of a list stand where the profile says',
    requirement: 'encoding-not-shown',
    level: 'assumed',
    setting: 'response.records',
    needs: ['list'],
    cases: once(async ({ api, model, profile }) => {
      const answer = await api.list(model.name);
      if (isAccepted(answer) && !api.recordsIn(answer))
        throw new Failure(
          'there are no records there',
          `a list at "${profile['response.records']}"`,
          show(answer.json),
        );
    }),
  },
  {
    id: 'profile.response.total',
    title: 'A list says how many records there are in all',
    requirement: 'query-not-shown',
    level: 'assumed',
    setting: 'response.total',
    needs: ['list'],
    cases: (model, { profile }) =>
      profile['response.total'] === 'none'
        ? []
        : once(async (context) => {
            const listing = await fetchList(context.api, model.name, profile);
            if (!listing) throw new Blocked(`${model.name} can't be listed`);
            const total = totalOf(listing.first, profile);
            const place =
              profile['response.total'] === 'header'
                ? profile['response.totalHeader']
                : profile['response.totalPointer'];
            if (total === undefined)
              throw new Failure(
                'a list does not say how many records there are',
                `a number in ${place}`,
                'none',
              );
            if (listing.complete && total !== listing.records.length)
              throw new Failure(
                'the number of all records is wrong',
                `${listing.records.length} in ${place}`,
                String(total),
              );
          })(),
  },
  {
    id: 'profile.response.unset',
    title: 'A field without a value is shown as the profile says',
    requirement: 'encoding-not-shown',
    level: 'assumed',
    setting: 'response.unset',
    needs: ['retrieve'],
    cases: eachField(
      (field) => !field.required && field.lines === undefined && !(field.common && field.name === 'id'),
      async (context, field) => {
        const wanted = context.profile['response.unset'];
        const seen = await recordsWithUnset(context);
        if (seen.length === 0) throw await nothingToSee(context);
        for (const { exchange, from, record } of seen) {
          const value = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
          // A service may give an optional field a value of its own.
          if (value !== undefined && value !== null) continue;
          if ((value === undefined) !== (wanted === 'absent'))
            throw new Failure(
              `${field.name} without a value is shown otherwise in an answer to ${from}`,
              wanted,
              value === null ? 'null' : 'absent',
              exchange,
            );
        }
      },
    ),
  },
  {
    id: 'profile.delete.effect',
    title: 'A delete marks the record or removes it, as the profile says',
    requirement: 'deletion-not-shown',
    level: 'assumed',
    setting: 'delete.effect',
    needs: ['create', 'retrieve', 'delete'],
    cases: once((context) =>
      afterDelete(context, ({ record, listed, profile }) => {
        const shown = record ?? listed;
        if (profile['delete.effect'] === 'remove') {
          if (shown)
            throw new Failure('a deleted record is marked', 'delete.effect remove', 'delete.effect mark');
        } else if (!shown && (profile['delete.readable'] || profile['delete.listed'])) {
          throw new Failure('a deleted record is removed', 'delete.effect mark', 'delete.effect remove');
        }
      }),
    ),
  },
  {
    id: 'profile.delete.readable',
    title: 'A record that is marked as deleted can be retrieved, or not, as the profile says',
    requirement: 'deletion-not-shown',
    level: 'assumed',
    setting: 'delete.readable',
    needs: ['create', 'retrieve', 'delete'],
    cases: (model, { profile }) =>
      profile['delete.effect'] === 'remove' || !model.fields.some(({ name }) => name === 'deleted')
        ? []
        : once((context) =>
            afterDelete(context, ({ record }) => {
              if ((record !== undefined) !== profile['delete.readable'])
                throw new Failure(
                  'retrieving a deleted record',
                  `delete.readable ${profile['delete.readable']}`,
                  `delete.readable ${record !== undefined}`,
                );
            }),
          )(),
  },
  {
    id: 'profile.delete.listed',
    title: 'A record that is marked as deleted stands in the list, or not, as the profile says',
    requirement: 'deletion-not-shown',
    level: 'assumed',
    setting: 'delete.listed',
    needs: ['create', 'retrieve', 'list', 'delete'],
    cases: (model, { profile }) =>
      profile['delete.effect'] === 'remove' || !model.fields.some(({ name }) => name === 'deleted')
        ? []
        : once((context) =>
            afterDelete(context, ({ listed }) => {
              if ((listed !== undefined) !== profile['delete.listed'])
                throw new Failure(
                  'a deleted record in the list',
                  `delete.listed ${profile['delete.listed']}`,
                  `delete.listed ${listed !== undefined}`,
                );
            }),
          )(),
  },
  {
    id: 'profile.delete.answer',
    title: 'A delete answers with the record, nothing, or a flag, as the profile says',
    requirement: 'operation-delete',
    level: 'assumed',
    setting: 'delete.answer',
    needs: ['create', 'delete'],
    cases: (_, { profile }) =>
      profile['status.deleted'] === 204
        ? []
        : once((context) =>
            afterDelete(context, ({ answer, id }) => {
              const shown = answerKind(context, answer, id);
              if (shown !== profile['delete.answer'])
                throw new Failure(
                  'a delete answers otherwise',
                  `delete.answer ${profile['delete.answer']}`,
                  `${shown}: ${statusOf(answer)}`,
                );
            }),
          )(),
  },
];

/** All answers seen, and one with nothing but required values where such a record can be made. */
async function recordsWithUnset(context: CaseContext): Promise<readonly SeenRecord[]> {
  const { records } = await context.observe();
  if (context.readOnly || !context.model.operations.includes('create')) return records;
  await needCreate(context);
  return [{ from: 'retrieve', record: await context.minimal() }, ...records];
}

type Aftermath = {
  answer: Answer;
  id: number;
  record?: RecordValues;
  listed?: RecordValues;
  profile: Profile;
};

/** Makes a record, deletes it, and looks where it may still be found. */
async function afterDelete(context: CaseContext, judge: (aftermath: Aftermath) => void): Promise<void> {
  const { api, model, profile } = context;
  const { id } = await context.make();
  const answer = await api.delete(model.name, id);
  if (!isAccepted(answer)) throw new Blocked(`a ${model.name} can't be deleted: ${statusOf(answer)}`);
  context.forget(id);
  const retrieved = await api.retrieve(model.name, id);
  const record = isAccepted(retrieved) ? api.recordIn(retrieved) : undefined;
  const listed = (await context.listed()).find((item) => item.id === id);
  judge({ answer, id, profile, ...(record ? { record } : {}), ...(listed ? { listed } : {}) });
}

function answerKind(
  context: CaseContext,
  answer: Answer,
  id: number,
): 'record' | 'none' | 'flag' | 'something else' {
  if (answer.body === '') return 'none';
  if (context.api.recordIn(answer)?.id === id) return 'record';
  return [true, 1].includes(valueAt(answer.json, '/deleted') as never) ? 'flag' : 'something else';
}
