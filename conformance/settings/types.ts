import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import {
  type Profile,
  profileAt,
  SETTINGS,
  type SettingName,
  typeOptions,
  typeSetting,
  under,
} from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, findRecord, isAccepted, isObject, isRefused } from '../api/answer.ts';
import { agrees, isUnset } from '../assert/agreement.ts';
import { blocked, isEnded } from '../assert/ending.ts';
import { optionsOf, show } from '../assert/wire-check.ts';
import type { CaseContext } from '../cases/rule.ts';
import type { SeenRecord } from '../records/ids.ts';
import type { ModelRecords } from '../records/model-records.ts';
import type { Samples } from '../records/values/samples.ts';
import { asKept, writableFields } from '../records/values/values.ts';
import { nothingToSee, observation } from '../rules/updates.ts';
import {
  describe,
  type Findings,
  found,
  hasOtherForm,
  type LearnedSetting,
  type Observation,
  type Observed,
  otherForm,
  type SettingAnswer,
  seen,
  unknown,
} from './observation.ts';
import { easiestModels, type Probe, type ProbeContext } from './probe.ts';

/** The settings that say how a type looks on the wire. */
export const TYPE_SETTINGS = SETTINGS.flatMap(({ name }) => (name.startsWith('types.') ? [name] : []));

/** How values of each type look on the wire (section 2, last paragraph), from the records that are shown. */
export const seenTypesProbe: Probe = {
  settings: TYPE_SETTINGS,
  needs: 'reading',
  async run({ catalogue, profile, survey }) {
    const values = valuesByType(await survey.records(), catalogue);
    const findings = [...values].map(([setting, seen]) => [setting, judgeForms(setting, seen, profile)]);
    return Object.fromEntries(findings) as Findings;
  },
};

// In this order the types that the fields of the easiest models have come first; lines hold most of the others.
const TRIED = [
  'bool',
  'date',
  'datetime',
  'select',
  'currency',
  'percent',
  'time',
  'duration',
  'daysOfWeek',
  'manyToMany',
  'fkModel',
  'image',
] as const;

/** Values of these may be shown otherwise than they are taken: texts for decimals, objects for what they name. */
const OTHERWISE_SHOWN: readonly string[] = [
  'date',
  'datetime',
  'select',
  'currency',
  'percent',
  'manyToMany',
];

const MOST_FIELDS = 3;

/** The same for types that no record shows clearly: a record is made with such a value under each option. */
export const triedTypesProbes: readonly Probe[] = [
  ...TRIED.map(
    (type): Probe => ({
      settings: [`types.${type}`],
      needs: 'writing',
      ...(OTHERWISE_SHOWN.includes(type) ? { again: 'verify' as const } : {}),
      run: async (context) => {
        // A value that is shown as a day is accepted as one.
        if (type === 'date' && context.isFound('types.date') && context.profile['types.date'] === 'iso')
          return {};
        return { [`types.${type}`]: await tryType(context, `types.${type}`) };
      },
    }),
  ),
  {
    settings: ['types.lines'],
    needs: 'writing',
    run: async (context) => ({ 'types.lines': await tryLines(context) }),
  },
];

/** The forms of values, field by field. */
export const typeObservations: readonly Observation[] = TYPE_SETTINGS.map((name) => ({
  name,
  title: `Values of type ${name.slice('types.'.length)} have the wire format set in the profile`,
  requirement: 'types-not-shown',
  needs: [],
  fields: (field) => typeSetting(field) === name,
  async observe(context, field) {
    const { records } = await context.ask(observation);
    if (records.length === 0) throw await nothingToSee(context);
    const set = records.filter(({ record }) => !isUnset(field, record[field.name]));
    const own = profileAt(context.profile, field.key)[name];
    let first: Observed = { none: `no response contains a value of ${field.key}` };
    for (const { answer, record } of set) {
      const value = record[field.name];
      const other = otherFormOf(context, field, value);
      if (other !== undefined) return seen(other, answer, show(value));
      if ('none' in first) first = seen(own, answer, show(value));
    }
    return first;
  },
}));

/** Returns the other option that a value has. The values inside lines count with their own fields. */
function otherFormOf({ check, profile }: CaseContext, field: Field, value: unknown): string | undefined {
  if (check.complaint(field, value) === undefined) return undefined;
  if (field.lines === undefined) return check.otherOption(field, value);
  const options = optionsOf(field, value, profile);
  return options.includes(profileAt(profile, field.key)['types.lines']) ? undefined : options[0];
}

async function tryType(context: ProbeContext, setting: SettingName): Promise<LearnedSetting> {
  const pairs = easiestModels(context)
    .flatMap((model) => writableFields(model).map((field) => ({ model, field })))
    .filter(({ field }) => typeSetting(field) === setting)
    // A list of numbers tells a value from its text; a list of texts does not.
    .sort((one, other) => Number(isTextual(one.field)) - Number(isTextual(other.field)));
  let last = unknown('no model with create has a writable field of this type');
  const closed = (model: Model) =>
    writableFields(model).filter((field) => field.required && !isKnown(context, field, setting));
  pairs.sort((one, other) => closed(one.model).length - closed(other.model).length);
  for (const { model, field } of pairs.slice(0, MOST_FIELDS)) {
    try {
      const tried = await tryField(context, setting, model, field);
      if (tried.kind === 'found') return tried;
      if (!hasOtherForm(last)) last = tried;
    } catch (error) {
      if (!isEnded(error, 'blocked')) throw error;
      if (!hasOtherForm(last)) last = unknown(error.message);
    }
  }
  return last;
}

/** Tries complete lines first, then lines that are created next to their parent and named by ID. */
async function tryLines(context: ProbeContext): Promise<LearnedSetting> {
  const { api, profile, catalogue, references } = context;
  let reason = 'no model with a create has lines';
  for (const model of easiestModels(context))
    for (const field of writableFields(model)) {
      const line = catalogue.models.get(field.lines ?? '');
      if (!line) continue;
      const judge = (seen: Parameters<typeof describe>[0]): LearnedSetting => {
        const wire = isAccepted(seen) ? findRecord(model, seen.json)?.value[field.name] : undefined;
        if (!Array.isArray(wire) || wire.length === 0) return unknown(describe(seen));
        return judgeForms('types.lines', [{ field, wire, seen }], profile);
      };
      try {
        const { records, samples } = await context.open(model);
        const lines = await context.open(line);
        const values = samples.values('required', [field]);
        const link = parentLink(line, model, references);
        const full = { ...values, [field.name]: [lines.samples.values('required', [link])] };
        const given = judge(await records.create(full));
        if (given.kind === 'found') return given;
        const parent = await records.create({ ...values, [field.name]: [] });
        const id = records.ownId(parent);
        if (id === undefined) throw blocked(describe(parent));
        const made = await lines.records.make({
          ...lines.samples.values('required', [link]),
          ...(link ? { [link.name]: id } : {}),
        });
        const grown = judge(await api.retrieve(model.name, id));
        if (grown.kind === 'found') return grown;
        const named = judge(await records.create({ ...values, [field.name]: [made.id] }));
        if (named.kind === 'found') return named;
        reason = 'the service does not return lines';
      } catch (error) {
        if (!isEnded(error, 'blocked')) throw error;
        reason = error.message;
      }
    }
  return unknown(reason);
}

function isTextual(field: Field): boolean {
  return field.type === 'select' && typeof field.choices?.[0]?.value !== 'number';
}

function isKnown({ isFound }: ProbeContext, field: Field, setting: SettingName): boolean {
  const own = typeSetting(field);
  return own === undefined || own === setting || isFound(own);
}

/** A value that is set, in wire form, with the answer that showed it. */
export type SeenValue = { readonly field: Field; readonly wire: Value; readonly seen: ApiResponse };

/** The options of most values of a field, and a value that shows it; no options if the values have another form. */
type FieldForm = { readonly options: readonly string[]; readonly value: SeenValue };

/** Returns the option of the most fields, or why there is none. */
export function judgeForms(
  setting: SettingName,
  values: readonly SeenValue[],
  profile: Profile,
): LearnedSetting {
  const variants = typeOptions(setting);
  if (values.length === 0) return unknown('no response contains a value of this type');
  const forms = [...Map.groupBy(values, ({ field }) => field).values()].flatMap(
    (own) => formOfField(own, variants, profile) ?? [],
  );
  const others = forms.filter(({ options }) => options.length === 0);
  const [odd] = others;
  if (odd && others.length * 2 >= forms.length) {
    const reason = `values such as ${show(odd.value.wire)} (${odd.value.field.key}) match none of the options ${variants.join(', ')}`;
    return others.length === forms.length ? otherForm(reason) : unknown(reason);
  }
  const leaders = mostOf(variants, forms);
  const [option] = leaders;
  const fitting = forms.filter(({ options }) => options.includes(option));
  const proof = fitting.find(({ options }) => options.length === 1) ?? fitting[0];
  if (!proof || (leaders.length > 1 && proof.options.length > 1))
    return unknown(`the ${values.length} values found are the same under ${leaders.join(' and ')}`);
  return found(option, proof.value.seen);
}

function formOfField(
  values: readonly SeenValue[],
  variants: readonly string[],
  profile: Profile,
): FieldForm | undefined {
  const marked = values.map((value) => ({ value, options: optionsOf(value.field, value.wire, profile) }));
  // Where there is a choice, a value that every option could have shown says nothing.
  const telling = marked.filter(({ options }) => options.length < variants.length || variants.length === 1);
  const leaders = mostOf(variants, telling);
  const fitting = telling.filter(({ options }) => options.includes(leaders[0]));
  const isOther = fitting.length * 2 < telling.length || fitting.length === 0;
  const shown = isOther ? telling : fitting;
  const proof = shown.find(({ options }) => options.length === (isOther ? 0 : 1)) ?? shown[0];
  return proof && { options: isOther ? [] : leaders, value: proof.value };
}

/** Returns the options that the most items have. */
function mostOf(
  variants: readonly string[],
  items: readonly { readonly options: readonly string[] }[],
): readonly [string, ...string[]] {
  const scores = variants.map((option) => items.filter(({ options }) => options.includes(option)).length);
  const most = Math.max(...scores);
  return variants.filter((_, index) => scores[index] === most) as [string, ...string[]];
}

/** The values that are set in records and in the lines they hold, by the setting of their type. */
function valuesByType(
  records: readonly SeenRecord[],
  catalogue: Catalogue,
): ReadonlyMap<SettingName, readonly SeenValue[]> {
  const values = new Map<SettingName, SeenValue[]>(TYPE_SETTINGS.map((name) => [name, []]));
  for (const { answer, model, record } of records) collect(model.fields, record, answer);
  return values;

  function collect(fields: readonly Field[], record: RecordValues, seen: ApiResponse): void {
    for (const field of fields) {
      const wire = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
      const setting = typeSetting(field);
      if (wire === undefined || isUnset(field, wire) || setting === undefined) continue;
      values.get(setting)?.push({ field, wire, seen });
      const line = catalogue.models.get(field.lines ?? '');
      if (line && Array.isArray(wire))
        for (const item of wire) if (isObject(item)) collectLine(line.fields, item, seen);
    }
  }

  /** Lines hold no further lines that could tell more. */
  function collectLine(fields: readonly Field[], item: RecordValues, seen: ApiResponse): void {
    collect(
      fields.filter(({ lines }) => lines === undefined),
      item,
      seen,
    );
  }
}

/** Makes a record with a value of the field under each option of its type, until one comes back in its form. */
async function tryField(
  context: ProbeContext,
  setting: SettingName,
  model: Model,
  field: Field,
): Promise<LearnedSetting> {
  const { profile } = context;
  const { records, samples } = await context.open(model, field);
  const canonical = telltale(samples, field);
  if (canonical === undefined) return unknown(`there is no record that ${field.key} can link to`);
  const others = samples.values('required', [field]);
  const values = { ...others, [field.name]: canonical };
  let reason = '';
  let isOther = false;
  let taken: SettingAnswer | undefined;
  const refusals: ApiResponse[] = [];
  /** The options that are taken, and shown in the form of another. */
  const turned: SettingAnswer[] = [];
  const variants = typeOptions(setting);
  for (const option of variants.toSorted(
    (one, other) => Number(other === profile[setting]) - Number(one === profile[setting]),
  )) {
    const seen = await records.create(values, { settings: { [setting]: option } });
    const wire = isAccepted(seen) ? findRecord(model, seen.json)?.value[field.name] : undefined;
    if (isRefused(seen)) refusals.push(seen);
    if (wire === undefined || isUnset(field, wire)) {
      reason = describe(seen);
      continue;
    }
    const options = optionsOf(field, wire, profile);
    if (options.length === 0) {
      isOther = true;
      taken ??= option;
    }
    const shown = options.filter((candidate) => {
      const spoken = under(profile, setting, candidate);
      const kept = WIRE_TYPES[field.type].decode(wire, { field, profile: spoken });
      return agrees(field, asKept(field, canonical, spoken), kept);
    });
    // Where no other option has the form that was sent and is shown, it is the value that was changed.
    const isTold = options.length === 1 && options[0] === option;
    if ((shown.length === 1 && shown[0] === option) || isTold) return found(option, seen);
    if (options.length === 1) turned.push(option);
    // The service might accept its own form too. Another turn shows it.
    if (shown.length === 1) [isOther, taken] = [true, taken ?? option];
    reason = `${field.key} is returned as ${show(wire)}`;
  }
  // For example, a service can accept money only as whole numbers and return decimals.
  const [only] = turned;
  if (only !== undefined && refusals.length === variants.length - 1) [isOther, taken] = [true, taken ?? only];
  if (refusals.length === variants.length) isOther = await isToBlame(records, field, others, refusals);
  const said = `no value of ${field.key} shows the option: ${reason}`;
  return isOther ? otherForm(said, taken) : unknown(said);
}

/** Whether it is the field for which creates are refused: without it, or by what they say where it is required. */
async function isToBlame(
  records: ModelRecords,
  field: Field,
  others: RecordValues,
  refusals: readonly ApiResponse[],
): Promise<boolean> {
  if (!field.required) return isAccepted(await records.create(others));
  return refusals.every(({ body }) => new RegExp(`\\b${field.name}\\b`).test(body));
}

/** A value whose forms differ under every two options: a fraction, a list that is not empty. */
function telltale(samples: Samples, field: Field): Value | undefined {
  const clear = field.type === 'currency' ? 12.5 : field.type === 'daysOfWeek' ? [2, 7] : undefined;
  if (clear !== undefined && samples.whyExcluded(field, clear) === undefined) return clear;
  const value = samples.value(field);
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}
