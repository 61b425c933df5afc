import { withArticle } from '../../../spec/article.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { profileAt } from '../../../spec/profile/profile.ts';
import { choicesOf, isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import { NO_SCALAR, type Value } from '../../../spec/types/wire-type.ts';
import { isUnset } from '../../assert/agreement.ts';
import { Failure } from '../../assert/failure.ts';
import { mayHaveForm, show } from '../../assert/wire-check.ts';
import type { Assumption, CaseContext, ListedRule, Rule } from '../../cases/rule.ts';
import { eachFieldAndPart, type FieldPlace, shownAt } from '../support/in-lines.ts';
import {
  type AcceptedWrite,
  expectInvalid,
  expectInvalidAlone,
  type InvalidWrite,
} from '../support/invalid-writes.ts';

export const wrongTypeCreate: InvalidWrite = {
  name: 'creates with wrong types',
  by: 'create',
  valuesFor: wrongValues,
  checkAccepted: expectRightType,
};
const wrongTypeUpdate: InvalidWrite = {
  name: 'updates to wrong types',
  by: 'update',
  valuesFor: wrongValues,
  checkAccepted: expectRightType,
};
const incompleteCreate: InvalidWrite = {
  name: 'creates without required fields',
  by: 'create',
  valuesFor: ({ readonly, required }) => (required && !readonly ? [undefined] : []),
};
export const nullCreate: InvalidWrite = {
  name: 'creates with nulls',
  by: 'create',
  valuesFor: nulls,
  checkAccepted: expectValue,
};
/** A service may ignore the null and keep the value. */
const nullUpdate: InvalidWrite = {
  name: 'updates to nulls',
  by: 'update',
  valuesFor: nulls,
  checkAccepted: expectValue,
};

/** A value of another type is refused, or converted to the type of the field (section 2). */
export const wrongTypeRules: readonly ListedRule[] = [
  {
    id: 'fields.wrong-type-on-create',
    title: 'Create rejects a value of another type, or does not return it as sent',
    requirement: 'field-type',
    needs: ['create', 'retrieve'],
    cases: eachFieldAndPart(hasValue(wrongTypeCreate), async (context, place) => {
      await expectInvalid(context, wrongTypeCreate, place);
      const loose = place.lines ? undefined : looseValue(context, place.field);
      if (loose !== undefined) await expectInvalidAlone(context, wrongTypeCreate, place, loose);
    }),
  },
  {
    id: 'fields.wrong-type-on-update',
    title: 'Update rejects a value of another type, or does not return it as sent',
    requirement: 'field-type',
    needs: ['create', 'retrieve', 'update'],
    cases: casesOf(wrongTypeUpdate),
  },
];

/** Requests without a required field are refused (section 4, rule 2). */
export const requiredRules: readonly ListedRule[] = [
  {
    id: 'required.on-create',
    title: 'Create without a required field is rejected and stores nothing',
    requirement: 'field-required',
    needs: ['create'],
    cases: casesOf(incompleteCreate),
  },
  {
    id: 'required.null-on-create',
    title: 'Create with null in a required field does not leave the field without a value',
    requirement: 'field-required',
    needs: ['create', 'retrieve'],
    cases: casesOf(nullCreate),
  },
  {
    id: 'required.on-update',
    title: 'Update does not remove the value of a required field',
    requirement: 'field-required',
    needs: ['create', 'retrieve', 'update'],
    cases: casesOf(nullUpdate),
  },
];

/** Values outside the lists of sections 2 and 3 are refused. */
export const valueRefusalRules: readonly ListedRule[] = [
  {
    id: 'values.refused-on-create',
    title: 'Create rejects a value outside the list and stores nothing',
    requirement: 'value-list',
    needs: ['create'],
    cases: casesOfEachValue({
      name: 'creates with values outside the list',
      by: 'create',
      valuesFor: (field, plan) => (field.choices ? outside(field, plan) : []),
    }),
  },
  {
    id: 'values.refused-on-update',
    title: 'Update rejects a value outside the list and changes nothing',
    requirement: 'value-list',
    needs: ['create', 'retrieve', 'update'],
    cases: casesOfEachValue({
      name: 'updates to values outside the list',
      by: 'update',
      valuesFor: (field, plan) => (field.choices ? outside(field, plan) : []),
    }),
  },
];

/** So are those outside the lists that the profile gives. */
export const profileValueRefusal: Assumption = {
  id: 'profile.values-refused',
  title: 'Create rejects a value outside a list in the profile',
  requirement: 'value-list-not-shown',
  setting: 'values',
  needs: ['create'],
  cases: casesOfEachValue({
    name: 'creates with values outside the list of the profile',
    by: 'create',
    valuesFor: (field, plan) => (field.choices ? [] : outside(field, plan)),
  }),
};

function casesOf(write: InvalidWrite): Rule['cases'] {
  return eachFieldAndPart(hasValue(write), (context, place) => expectInvalid(context, write, place));
}

function hasValue({ valuesFor }: InvalidWrite) {
  return (field: Field, plan: Contract) => valuesFor(field, plan).length > 0;
}

function casesOfEachValue(write: InvalidWrite): Rule['cases'] {
  return (model, plan) =>
    model.fields.flatMap((field) =>
      write.valuesFor(field, plan).map((value, index) => ({
        field,
        detail: show(value),
        run: (context) => expectInvalid(context, write, { field }, index),
      })),
    );
}

function outside(field: Field, { profile }: Contract): readonly Value[] {
  if (field.readonly || field.type !== 'select' || !choicesOf({ field, profile })) return [];
  return WIRE_TYPES[field.type].counterSamples({ field, profile });
}

/** A form can't express null: an empty text unsets only fields that are no texts. */
function nulls(field: Field, { profile }: Contract): readonly null[] {
  const inJson = profile['request.encoding'] === 'json';
  const takesNull = inJson || !(isText(field) || field.type === 'lines');
  return field.required && !field.readonly && takesNull ? [null] : [];
}

/**
 * A value of another type, for a field without a value list. Of a type whose form is not shown, only a value of a JSON
 * kind that no option has is surely wrong.
 */
function wrongValues(field: Field, { profile }: Contract): readonly Value[] {
  if (field.readonly || choicesOf({ field, profile })) return [];
  const samples = [...WIRE_TYPES[field.type].counterSamples({ field, profile }), ...NO_SCALAR];
  return samples.filter((sample) => !mayHaveForm(field, sample, profile)).slice(0, 1);
}

const IMPOSSIBLE_DAY = '2025-02-30';

/** What a loose check takes: a day that no calendar has, a fraction for a whole number, and texts of digits in a list of ids. */
function looseValue({ profile, samples }: CaseContext, field: Field): Value | undefined {
  if (field.type === 'date') return IMPOSSIBLE_DAY;
  if (field.type === 'int') return 1.5;
  const isById =
    profileAt(profile, field.key)['types.manyToMany'] === 'ids' && profile['request.encoding'] === 'json';
  const ids = field.type === 'manyToMany' && isById ? samples.value(field) : undefined;
  return Array.isArray(ids) && ids.length > 0 ? ids.map(String) : undefined;
}

function expectRightType({ check }: CaseContext, place: FieldPlace, { answer, shown }: AcceptedWrite): void {
  const { field } = place;
  for (const value of shown.flatMap((record) => shownAt(record, place))) {
    const wrong = isUnset(field, value) ? undefined : check.complaint(field, value);
    if (wrong !== undefined && check.otherOption(field, value) === undefined)
      throw new Failure(
        `the target stores a value of another type in ${field.name}: ${wrong}`,
        `a 4xx status, or ${withArticle(field.type)}`,
        show(value),
        answer.exchange,
      );
  }
}

/** The last look counts: the response to a create may leave fields out. */
function expectValue(_: CaseContext, place: FieldPlace, { shown, what }: AcceptedWrite): void {
  for (const value of shownAt(shown.at(-1), place))
    if (value === undefined || value === null)
      throw new Failure(`${what} left it without a value`, 'a value', show(value));
}
