import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, idIn, isGone, isObject } from '../api/answer.ts';
import { fetchList } from '../api/listing.ts';
import { isUnset, mayHaveForm, show } from '../assert/agreement.ts';
import { Ended, type Ending, failure, skip, unjudged, unlessEnded } from '../assert/ending.ts';
import { statusOf } from '../cases/assert.ts';
import {
  type CaseContext,
  eachField,
  type ListedRule,
  row,
  type SharedRequests,
  where,
} from '../cases/rule.ts';
import { idsIn } from '../record/timeline.ts';
import { type SeenRecord, seenIn } from '../records/identity.ts';
import { listedRecords } from './lists.ts';
import { deletion, linesWithIds, minimal, nothingToSee, observation, whole } from './shared.ts';
import { updates, wholeUpdate } from './updates.ts';

/** Records after each update, with nothing but required values, and after a delete; and some that the list holds. */
const furtherRecords: SharedRequests<readonly SeenRecord[]> = {
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
    const see = (from: string, answer: ApiResponse | undefined) => seenIn(context, from, answer);
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

const rows: readonly ListedRule[] = [
  row({
    id: 'fields.type',
    title: 'A field has the stated type in every response',
    requirement: 'field-type',
    needs: [],
    cases: eachField(() => true),
    async judge(context, { field }) {
      const { api, check, model, profile } = context;
      const seen = await expectInEach(context, ({ from, record }) => {
        const value = valueIn(record, field);
        if (isUnset(field, value)) return undefined;
        // The values of other clients are not judged if the source shows no form of them.
        const isTheirs = value !== '' && mayHaveForm(field, value, profile);
        if (isTheirs && !api.isOwn(model.name, record.id)) return undefined;
        const wrong = check.complaint(field, value);
        // A form that another option of the setting has is another profile and no wrong type.
        if (wrong === undefined || check.otherOption(field, value) !== undefined) return undefined;
        return {
          message: `${field.name} in the response to ${from}: ${wrong}`,
          expected: `a value of type ${field.type}`,
          found: show(value),
        };
      });
      // If no value is set, the form can't be judged.
      if (seen.every(({ record }) => isUnset(field, valueIn(record, field))))
        throw skip(`no response contains a value of ${field.key}`);
    },
  }),
  row({
    id: 'fields.shown',
    title: 'Every record shows the field',
    requirement: 'common-fields',
    needs: [],
    cases: eachField(() => true),
    judge: (context, { field }) => expectShown(context, field),
  }),
  row({
    id: 'required.present',
    title: 'A required field has a value in every response',
    requirement: 'field-required',
    needs: [],
    cases: eachField((field) => field.required),
    async judge(context, { field }) {
      await expectInEach(context, ({ from, record }) => {
        const value = valueIn(record, field);
        const lacking = (value ?? null) === null ? field.name : lackingInLines(context, field, value);
        const message = `${lacking} has no value in the response to ${from}`;
        return lacking && { message, expected: 'a value', found: show(value) };
      });
    },
  }),
  row({
    id: 'fields.id',
    title: 'Every record shows its ID as an integer',
    requirement: 'common-fields',
    needs: [],
    cases: eachField(isIdField),
    async judge(context, { field }) {
      await expectInEach(context, ({ from, record }) => {
        const value = valueIn(record, field);
        const message = `a record in the response to ${from} has no integer ID`;
        return Number.isInteger(value) ? undefined : { message, expected: 'an integer', found: show(value) };
      });
      for (const one of linesWithIds(context)) {
        await expectInEach(context, ({ from, record }) => {
          const value = valueIn(record, one);
          const ids = [value ?? []].flat().map((line) => (isObject(line) ? line.id : undefined));
          const areOwn = ids.every(Number.isInteger) && new Set(ids).size === ids.length;
          // Lines that are shown by their ids are another profile.
          if (areOwn || context.check.otherOption(one, value) !== undefined) return undefined;
          const message = `the ${one.name} in the response to ${from} have no distinct IDs`;
          return { message, expected: 'a distinct integer for each line', found: show(ids) };
        });
        await expectOwnIds(context, one);
      }
    },
  }),
  {
    id: 'fields.excluded',
    title: 'No response contains a common field that the source excludes from the model',
    requirement: 'no-deleted-field',
    needs: [],
    cases: ({ fields }, { catalogue }) =>
      [...commonNames(catalogue)]
        .filter((name) => !fields.some((field) => field.name === name))
        .map((name) => ({ detail: name })),
    async judge(context, { detail: name = '' }) {
      await expectInEach(context, ({ from, record }) => {
        if (!Object.hasOwn(record, name)) return undefined;
        const found = `${name} ${show(record[name])} in the response to ${from}`;
        return { message: `${context.model.name} has no field ${name}`, expected: 'no such field', found };
      });
    },
  },
  {
    id: 'fields.only',
    title: 'A record of a closed model has no other fields',
    requirement: 'fields-only',
    needs: [],
    cases: where((_, { closed }) => closed),
    judge: (context) => expectNoOtherField(context, isName),
  },
];

/** Fields and types in every answer (section 2). */
export const fieldRules = rows.map((rule): ListedRule => ({ ...rule, provenByAnswer: true }));

/**
 * A service that shows fields without a value as null shows each field in every record. One that omits them still shows
 * the ID, the time of creation, and the mark of a deleted record, which always have values.
 */
async function expectShown(context: CaseContext, field: Field): Promise<void> {
  const profile = profileAt(context.profile, field.key);
  const why = context.samples.whyRefused(field);
  const showsNull =
    profile['response.unset'] === 'null' &&
    profile.unknown['response.unset'] === undefined &&
    !(why !== undefined && omitsSome(context));
  const isAlwaysSet = isIdField(field) || field.role === 'created' || field.role === 'deleted';
  const seen = await expectInEach(context, ({ from, record }) => {
    const isHere = Object.hasOwn(record, field.name);
    if (isHere ? !isAlwaysSet || record[field.name] !== null : !isAlwaysSet && !showsNull) return undefined;
    return {
      message: `${field.name} is missing in the response to ${from}`,
      expected: isAlwaysSet
        ? 'a value'
        : 'a value, or null as the service shows other fields without a value',
      found: isHere ? 'null' : `only ${Object.keys(record).join(', ')}`,
    };
  });
  if (!seen.some(({ record }) => Object.hasOwn(record, field.name)))
    throw unjudged(
      `no response shows ${field.key}, and the service omits fields without a value${why === undefined ? '' : `; ${why}`}`,
    );
}

/** Whether the service omits some unset fields. Of a field whose values it rejects, learn can't tell. */
function omitsSome({ catalogue, profile }: CaseContext): boolean {
  const fields = [...catalogue.models.values()].flatMap((model) => model.fields);
  return fields.some(({ key }) => profileAt(profile, key)['response.unset'] === 'absent');
}

/** Whether it may be the name of a field: frameworks mark what is about the record by another first letter, as `_links`. */
function isName(text: string): boolean {
  return /^[a-z]/i.test(text);
}

/** The names of the fields that all models have, unless the source takes one from a model. */
function commonNames({ models }: Catalogue): Set<string> {
  const fields = [...models.values()].flatMap((model) => model.fields);
  return new Set(fields.filter(({ common }) => common).map(({ name }) => name));
}

/** No field is shown that the source does not give to the model, among those that count as one. */
async function expectNoOtherField(context: CaseContext, isField: (name: string) => boolean) {
  const { catalogue, model } = context;
  // A common field that the model does not have is a matter of `fields.excluded`.
  const known = commonNames(catalogue);
  for (const { name } of model.fields) known.add(name);
  await expectInEach(context, ({ from, record }) => {
    const unknown = Object.keys(record).filter((name) => !known.has(name) && isField(name));
    if (unknown.length === 0) return undefined;
    const message = `${model.name} has fields in the response to ${from} that the source does not name`;
    return { message, expected: 'no such field', found: unknown.join(', ') };
  });
}

/** A line has the same ID in its parent as in its own operations. */
async function expectOwnIds(context: CaseContext, field: Field): Promise<void> {
  const { api, ask, catalogue, model, readOnly, records, references } = context;
  const line = catalogue.models.get(field.lines ?? '');
  const canRetrieve = line?.operations.includes('retrieve') && !readOnly;
  const parent = canRetrieve ? await unlessEnded(() => ask(whole)) : undefined;
  const [id] = idsIn(parent?.[field.name]);
  if (!line || !parent || id === undefined) return;
  const answer = await api.retrieve(line.name, id);
  if (!isGone(answer)) return;
  // A service may show lines only in their parents, and somebody may have replaced the line.
  const link = parentLink(line, model, references)?.name ?? '';
  const all = await fetchList(api, line.name);
  const own = all?.complete ? all.records.filter((one) => idIn(one[link]) === parent.id) : [];
  const isElsewhere = own.length > 0 && own.every((one) => one.id !== id);
  if (!isElsewhere || !idsIn((await records.read(Number(parent.id)))[field.name]).includes(id)) return;
  const message = `a line in ${field.name} has an ID that no ${line.name} has`;
  throw failure(message, `a ${line.name} with the ID ${id}`, statusOf(answer), answer.exchange);
}

/** The required field that a line lacks. The link to its parent is implied, but not null. */
function lackingInLines({ catalogue, model, references }: CaseContext, field: Field, lines: unknown) {
  const line = catalogue.models.get(field.lines ?? '');
  if (!line || !Array.isArray(lines)) return undefined;
  const parent = parentLink(line, model, references);
  const isLacking = (part: Field) =>
    lines.some(
      (item) =>
        isObject(item) && (part === parent ? item[part.name] === null : (item[part.name] ?? null) === null),
    );
  const found = line.fields.filter((part) => part.required).find(isLacking);
  return found && `${found.name} in a line of ${field.name}`;
}

function valueIn(record: RecordValues, { name }: Field): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * Judges every record of the model that a response shows, and returns them; throws `skip` or `blocked` where there is none.
 * The first ones come from few requests, so that a failure in them is cheap.
 */
async function expectInEach(
  context: CaseContext,
  wrongIn: (seen: SeenRecord) => Pick<Ending, 'message' | 'expected' | 'found'> | undefined | '',
): Promise<readonly SeenRecord[]> {
  const { records } = await context.ask(observation);
  if (records.length === 0) throw await nothingToSee(context);
  const all: SeenRecord[] = [];
  for (const some of [async () => records, () => context.ask(furtherRecords)])
    for (const seen of await some()) {
      const wrong = wrongIn(seen);
      if (wrong) throw new Ended({ outcome: 'fail', ...wrong, exchange: seen.answer.exchange });
      all.push(seen);
    }
  return all;
}

/** Members that `fields.only` leaves out: all in models that are not closed, and such as `_links` in closed ones. */
export const fieldAdvice: readonly ListedRule[] = [
  {
    id: 'advice.fields-only',
    title: 'A record has no field that the source does not define',
    requirement: 'fields-only',
    provenByAnswer: true,
    needs: [],
    judge: (context) => expectNoOtherField(context, (name) => !context.model.closed || !isName(name)),
  },
];
