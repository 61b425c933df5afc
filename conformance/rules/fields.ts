import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import type { Answer } from '../api/answer.ts';
import { isObject } from '../api/places.ts';
import { isUnset } from '../assert/agreement.ts';
import { failure, skip, unjudged, unlessEnded } from '../assert/ending.ts';
import { mayHaveForm, show } from '../assert/wire-check.ts';
import { type CaseContext, eachField, type ListedRule, type Question, row, where } from '../cases/rule.ts';
import { type SeenRecord, seenIn } from '../records/ids.ts';
import { linesWithIds } from './in-lines.ts';
import { listedRecords } from './lists.ts';
import { deletion, minimal } from './shared.ts';
import { nothingToSee, observation, updates, wholeUpdate } from './updates.ts';

/** Records after each update, with nothing but required values, and after a delete; and some that the list holds. */
const furtherRecords: Question<readonly SeenRecord[]> = {
  name: 'further records',
  async ask(context) {
    const { made } = await context.ask(observation);
    const has = (operation: 'update' | 'delete') => made && context.model.operations.includes(operation);
    const steps = (has('update') && (await unlessEnded(() => context.ask(updates)))) || [];
    // Where there is nothing to update, an update of nothing is one too.
    const isBare = has('update') && steps.length === 0;
    const bare = isBare ? await unlessEnded(() => context.ask(wholeUpdate)) : undefined;
    const least = made && (await unlessEnded(() => context.ask(minimal)));
    const gone = has('delete') ? await unlessEnded(() => context.ask(deletion)) : undefined;
    const listed = await unlessEnded(() => context.ask(listedRecords));
    const see = (from: string, answer: Answer | undefined) => seenIn(context, from, answer);
    return [
      ...steps.flatMap(({ answer, field, seen }) => [
        ...see(`update of ${field.name}`, answer),
        ...see(`retrieve after an update of ${field.name}`, seen),
      ]),
      ...see('update', bare?.answer),
      ...see('retrieve after an update', bare && (await context.api.retrieve(context.model.name, bare.id))),
      ...see('create', least?.created),
      ...see('retrieve', least?.retrieved),
      ...see('retrieve after a delete', gone?.retrieved),
      ...(listed ?? []).flatMap(({ retrieved }) => see('retrieve', retrieved)),
    ];
  },
};

/** Fields and types in every answer (section 2). */
export const fieldRules: readonly ListedRule[] = [
  row({
    id: 'fields.type',
    title: 'A field has the stated type in every response',
    requirement: 'field-type',
    provenByAnswer: true,
    needs: [],
    cases: eachField(() => true),
    async judge(context, { field }) {
      let isShown = false;
      for await (const { answer, from, isOwn, value } of shown(context, field)) {
        if (isUnset(field, value)) continue;
        isShown = true;
        // What others typed is theirs, as long as the source shows no form of it.
        if (!isOwn && value !== '' && mayHaveForm(field, value, context.profile)) continue;
        const wrong = context.check.complaint(field, value);
        // A form that another option of the setting has is another profile and no wrong type.
        if (wrong !== undefined && context.check.otherOption(field, value) === undefined)
          throw failure(
            `${field.name} in the response to ${from}: ${wrong}`,
            `a value of type ${field.type}`,
            show(value),
            answer.exchange,
          );
      }
      // If no value is set, the form can't be judged.
      if (!isShown) throw skip(`no response contains a value of ${field.key}`);
    },
  }),
  row({
    id: 'fields.shown',
    title: 'Every record shows the field',
    requirement: 'common-fields',
    provenByAnswer: true,
    needs: [],
    cases: eachField(() => true),
    judge: (context, { field }) => expectShown(context, field),
  }),
  row({
    id: 'required.present',
    title: 'A required field has a value in every response',
    requirement: 'field-required',
    provenByAnswer: true,
    needs: [],
    cases: eachField((field) => field.required),
    async judge(context, { field }) {
      for await (const { answer, from, value } of shown(context, field)) {
        const lacking =
          value === undefined || value === null ? field.name : lackingInLines(context, field, value);
        if (lacking !== undefined)
          throw failure(
            `${lacking} has no value in the response to ${from}`,
            'a value',
            show(value),
            answer.exchange,
          );
      }
    },
  }),
  row({
    id: 'fields.id',
    title: 'Every record shows its ID',
    requirement: 'common-fields',
    provenByAnswer: true,
    needs: [],
    cases: eachField(isIdField),
    async judge(context, { field }) {
      for await (const { answer, from, value } of shown(context, field))
        if (!Number.isInteger(value))
          throw failure(
            `a record in the response to ${from} has no id`,
            'an integer',
            show(value),
            answer.exchange,
          );
      for (const lines of linesWithIds(context))
        for await (const { answer, from, value } of shown(context, lines)) {
          const ids = [value ?? []].flat().map((line) => (isObject(line) ? line.id : undefined));
          const areOwn = ids.every(Number.isInteger) && new Set(ids).size === ids.length;
          // Lines that are shown by their ids are another profile.
          if (!areOwn && context.check.otherOption(lines, value) === undefined)
            throw failure(
              `the ${lines.name} in the response to ${from} have no distinct IDs`,
              'a distinct integer for each line',
              show(ids),
              answer.exchange,
            );
        }
    },
  }),
  {
    id: 'fields.excluded',
    title: 'No response contains a common field that the source excludes from the model',
    requirement: 'no-deleted-field',
    provenByAnswer: true,
    needs: [],
    cases: (model, { catalogue }) => {
      const names = commonNames(catalogue);
      for (const field of model.fields) names.delete(field.name);
      return [...names].map((name) => ({ detail: name }));
    },
    async judge(context, { detail: name = '' }) {
      for await (const { answer, from, record } of seenRecords(context))
        if (Object.hasOwn(record, name))
          throw failure(
            `${context.model.name} has no field ${name}`,
            'no such field',
            `${name} ${show(record[name])} in the response to ${from}`,
            answer.exchange,
          );
    },
  },
  {
    id: 'fields.only',
    title: 'A record of a closed model has no other fields',
    requirement: 'fields-only',
    provenByAnswer: true,
    needs: [],
    cases: where((_, { closed }) => closed),
    judge: (context) => expectNoOtherField(context, isName),
  },
];

/**
 * A service that shows fields without a value as null shows each field in every record. One that omits them still shows
 * the ID, the time of creation, and the mark of a deleted record, which always have values.
 */
async function expectShown(context: CaseContext, field: Field): Promise<void> {
  const profile = profileAt(context.profile, field.key);
  const showsNull = profile['response.unset'] === 'null' && profile.unknown['response.unset'] === undefined;
  const isAlwaysSet = isIdField(field) || field.role === 'created' || field.role === 'deleted';
  let isSeen = false;
  for await (const { answer, from, record } of seenRecords(context)) {
    const isHere = Object.hasOwn(record, field.name);
    isSeen ||= isHere;
    if (isHere && !(isAlwaysSet && record[field.name] === null)) continue;
    if (!isAlwaysSet && !showsNull) continue;
    throw failure(
      `${field.name} is missing in the response to ${from}`,
      isAlwaysSet ? 'a value' : 'a value, or null as the service shows other fields without a value',
      isHere ? 'null' : `only ${Object.keys(record).join(', ')}`,
      answer.exchange,
    );
  }
  if (!isSeen) throw unjudged(`no response shows ${field.key}, and the service omits fields without a value`);
}

/** Whether it may be the name of a field: frameworks mark what is about the record by another first letter, as `_links`. */
export function isName(text: string): boolean {
  return /^[a-z]/i.test(text);
}

/** The names of the fields that all models have, unless the source takes one from a model. */
function commonNames({ models }: Catalogue): Set<string> {
  const names = new Set<string>();
  for (const { fields } of models.values())
    for (const { common, name } of fields) if (common) names.add(name);
  return names;
}

/** No field is shown that the source does not give to the model, among those that count as one. */
export async function expectNoOtherField(
  context: CaseContext,
  isField: (name: string) => boolean,
): Promise<void> {
  const { catalogue, model } = context;
  // A common field that the model does not have is a matter of `fields.excluded`.
  const known = commonNames(catalogue);
  for (const { name } of model.fields) known.add(name);
  for await (const { answer, from, record } of seenRecords(context)) {
    const unknown = Object.keys(record).filter((name) => !known.has(name) && isField(name));
    if (unknown.length > 0)
      throw failure(
        `${model.name} has fields in the response to ${from} that the source does not name`,
        'no such field',
        unknown.join(', '),
        answer.exchange,
      );
  }
}

/** The required field that a line lacks. The link to its parent is implied. */
function lackingInLines(
  { catalogue, model, references }: CaseContext,
  field: Field,
  lines: unknown,
): string | undefined {
  const line = catalogue.models.get(field.lines ?? '');
  if (!line || !Array.isArray(lines)) return undefined;
  const parent = parentLink(line, model, references);
  const required = line.fields.filter((part) => part.required && part !== parent);
  const isLacking = ({ name }: Field) =>
    lines.some((item) => isObject(item) && (item[name] === undefined || item[name] === null));
  const found = required.find(isLacking);
  return found && `${found.name} in a line of ${field.name}`;
}

/** The values of a field in all answers seen. */
async function* shown(
  context: CaseContext,
  field: Field,
): AsyncGenerator<{ answer: Answer; from: string; isOwn: boolean; value: unknown }> {
  for await (const { answer, from, record } of seenRecords(context)) {
    const value = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
    yield { answer, from, isOwn: context.api.isOwn(context.model.name, record.id), value };
  }
}

/**
 * Every record of the model that an answer shows; throws `skip` or `blocked` where there is none. The first ones come
 * from few requests, so that what they tell costs no more.
 */
async function* seenRecords(context: CaseContext): AsyncGenerator<SeenRecord> {
  const { records } = await context.ask(observation);
  if (records.length === 0) throw await nothingToSee(context);
  yield* records;
  yield* await context.ask(furtherRecords);
}
