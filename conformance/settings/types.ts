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
import { type ApiResponse, findRecordIn, isAccepted, isObject, isRefused } from '../api/answer.ts';
import { agrees, isUnset, optionsOf, show } from '../assert/agreement.ts';
import { blocked } from '../assert/ending.ts';
import { asKept, writableFields } from '../records/values/values.ts';
import { nothingToSee, observation } from '../rules/shared.ts';
import {
  describe,
  type Findings,
  found,
  type LearnedSetting,
  type Observation,
  type SettingAnswer,
  seen,
  tryEach,
  unknown,
} from './observation.ts';
import { easiestFields, easiestModels, type Probe, type ProbeContext } from './probe.ts';

/** The settings that say how a type looks on the wire. */
export const TYPE_SETTINGS = SETTINGS.flatMap(({ name }) => (name.startsWith('types.') ? [name] : []));

/** How values of each type look on the wire (section 2, last paragraph), from the records that are shown. */
export const seenTypesProbe: Probe = {
  settings: TYPE_SETTINGS,
  async run({ catalogue, profile, survey }) {
    const records = await survey.records();
    const values = records.flatMap(({ answer, model, record }) => [
      ...valuesIn(model.fields, record, answer, catalogue),
    ]);
    const bySetting = Map.groupBy(values, ({ field }) => typeSetting(field));
    const all = TYPE_SETTINGS.map((name) => [name, judgeForms(name, bySetting.get(name) ?? [], profile)]);
    return Object.fromEntries(all) as Findings;
  },
};

// In this order the types that the fields of the easiest models have come first; lines hold most of the others.
const TRIED =
  'bool date datetime select currency percent time duration daysOfWeek manyToMany fkModel image lines'.split(
    ' ',
  );

/** The service can accept their values in another form than it shows: texts for decimals, objects for what they name. */
const OTHERWISE_SHOWN = /date|select|currency|percent|manyToMany/;

const MOST_FIELDS = 3;

/** The same for types that no record shows clearly: a record is made with such a value under each option. */
export const triedTypesProbes: readonly Probe[] = TRIED.map((type) => {
  const setting = `types.${type}` as SettingName;
  return {
    settings: [setting],
    writes: true,
    again: OTHERWISE_SHOWN.test(type),
    async run(context) {
      // A value that is shown as a day is accepted as one.
      if (context.isFound('types.date') && context.profile[setting] === 'iso' && type === 'date') return {};
      const tried = await (type === 'lines' ? tryLines(context) : tryType(context, setting));
      // The form of the shown values counts, unless the service accepts only another one.
      const holds = context.isFound(setting) && !(tried.kind === 'unknown' && tried.fit !== undefined);
      return holds ? {} : { [setting]: tried };
    },
  };
});

/** The forms of values, field by field. */
export const typeObservations: readonly Observation[] = TYPE_SETTINGS.map((setting) => ({
  setting,
  title: `Values of type ${setting.slice('types.'.length)} have the wire format set in the profile`,
  requirement: 'types-not-shown',
  needs: [],
  fields: (field) => typeSetting(field) === setting,
  async observe(context, field) {
    const { records } = await context.ask(observation);
    if (records.length === 0) throw await nothingToSee(context);
    const own = profileAt(context.profile, field.key)[setting];
    const forms = records.flatMap(({ answer, record }) => {
      const value = record[field.name];
      if (isUnset(field, value)) return [];
      // The values inside lines count with their own fields.
      const isRight = context.check.complaint(field, value) === undefined;
      const options = isRight ? [own] : optionsOf(field, value, context.profile);
      return [{ answer, option: options.includes(String(own)) ? own : (options[0] ?? own), value }];
    });
    const one = forms.find(({ option }) => option !== own) ?? forms[0];
    if (!one) return { none: `no response contains a value of ${field.key}` };
    return seen(one.option, one.answer, show(one.value));
  },
}));

async function tryType(context: ProbeContext, setting: SettingName): Promise<LearnedSetting> {
  /** The required fields whose own form is not known yet. */
  const openIn = (model: Model) =>
    writableFields(model).filter((field) => {
      const own = typeSetting(field);
      return field.required && own !== undefined && own !== setting && !context.isFound(own);
    });
  // A list of numbers tells a value from its text; a list of texts does not.
  const isTextual = ({ choices, type }: Field) =>
    type === 'select' && typeof choices?.[0]?.value !== 'number';
  const pairs = easiestFields(context, (field) => typeSetting(field) === setting)
    .sort((one, other) => Number(isTextual(one.field)) - Number(isTextual(other.field)))
    .sort((one, other) => openIn(one.model).length - openIn(other.model).length);
  let last: LearnedSetting | undefined;
  const reason = await tryEach(pairs.slice(0, MOST_FIELDS), async ({ field, model }) => {
    const tried = await tryField(context, setting, model, field);
    if (tried.kind === 'found' || !last?.otherForm) last = tried;
    return tried.kind === 'found';
  });
  return last ?? unknown(reason ?? 'no model with create has a writable field of this type');
}

/** Tries complete lines first, then lines that are created next to their parent and named by ID. */
async function tryLines(context: ProbeContext): Promise<LearnedSetting> {
  const { catalogue, profile, references } = context;
  const places = easiestModels(context).flatMap((model) =>
    writableFields(model).flatMap((field) => {
      const line = catalogue.models.get(field.lines ?? '');
      return line ? [{ field, line, model }] : [];
    }),
  );
  let last: LearnedSetting | undefined;
  const reason = await tryEach(places, async ({ field, line, model }) => {
    const { records, samples } = await context.open(model);
    const lines = await context.open(line);
    const link = parentLink(line, model, references);
    const others = samples.values('required', [field]);
    const values = lines.samples.values('required', [link]);
    const create = async (given: Value) => {
      const seen = await records.create({ ...others, [field.name]: given });
      const wire = findRecordIn(model, seen)?.[field.name];
      const isShown = Array.isArray(wire) && wire.length > 0;
      last = isShown ? judgeForms('types.lines', [{ field, wire, seen }], profile) : unknown(describe(seen));
      return { isFound: last.kind === 'found', seen };
    };
    if ((await create([values])).isFound) return true;
    const { seen } = await create([]);
    const id = records.ownId(seen);
    if (id === undefined) throw blocked(describe(seen));
    const made = await lines.records.make({ ...values, ...(link ? { [link.name]: id } : {}) });
    return (await create([made.id])).isFound;
  });
  return last ?? unknown(reason ?? 'no model with a create has lines');
}

/** A value that is set, in wire form, with the answer that showed it. */
export type SeenValue = { readonly field: Field; readonly wire: Value; readonly seen: ApiResponse };

/** Returns the option of the most fields, or why there is none. Each field has one vote. */
export function judgeForms(setting: SettingName, values: readonly SeenValue[], profile: Profile) {
  if (values.length === 0) return unknown('no response contains a value of this type');
  const variants = typeOptions(setting);
  const marked = values.map((value) => ({ ...value, options: optionsOf(value.field, value.wire, profile) }));
  // Where there is a choice, a value that every option could have shown says nothing.
  const telling = marked.filter(({ options }) => options.length < variants.length || variants.length === 1);
  const fields = Map.groupBy(telling, ({ field }) => field);
  const votesOf = (some: typeof telling) =>
    some.reduce((sum, { field }) => sum + 1 / (fields.get(field)?.length ?? 1), 0);
  const others = telling.filter(({ options }) => options.length === 0);
  const [odd] = others;
  if (odd && votesOf(others) * 2 >= fields.size) {
    const reason = `values such as ${show(odd.wire)} (${odd.field.key}) match none of the options ${variants.join(', ')}`;
    return unknown(reason, undefined, others.length === telling.length);
  }
  const fittingOf = (option: string) => telling.filter(({ options }) => options.includes(option));
  const scores = variants.map((option) => votesOf(fittingOf(option)));
  const leaders = variants.filter((_, index) => scores[index] === Math.max(...scores));
  const [option = ''] = leaders;
  const fitting = fittingOf(option);
  const proof = fitting.find(({ options }) => options.length === 1) ?? fitting[0];
  if (!proof || (leaders.length > 1 && proof.options.length > 1))
    return unknown(`the ${values.length} values found are the same under ${leaders.join(' and ')}`);
  return found(option, proof.seen);
}

/** Yields the values that are set in a record and in the lines it holds. Lines hold no further lines that could tell more. */
function* valuesIn(
  fields: readonly Field[],
  record: RecordValues,
  seen: ApiResponse,
  catalogue: Catalogue,
): Generator<SeenValue> {
  for (const field of fields) {
    const wire = record[field.name];
    if (wire === undefined || isUnset(field, wire)) continue;
    yield { field, wire, seen };
    const line = catalogue.models.get(field.lines ?? '')?.fields.filter(({ lines }) => lines === undefined);
    if (line && Array.isArray(wire))
      for (const item of wire) if (isObject(item)) yield* valuesIn(line, item, seen, catalogue);
  }
}

/** Makes a record with a value of the field under each option of its type, until one comes back in its form. */
async function tryField(context: ProbeContext, setting: SettingName, model: Model, field: Field) {
  const { profile } = context;
  const { records, samples } = await context.open(model, field);
  // The forms of a fraction, and of some days, differ under every two options.
  const clear = { currency: 12.5, daysOfWeek: [2, 7] as Value }[field.type as string];
  const isValid = clear !== undefined && samples.whyExcluded(field, clear) === undefined;
  const canonical = isValid ? clear : samples.value(field);
  if (canonical === undefined || (Array.isArray(canonical) && canonical.length === 0))
    return unknown(`there is no record that ${field.key} can link to`);
  const others = samples.values('required', [field]);
  const values = { ...others, [field.name]: canonical };
  let reason = '';
  let isOther = false;
  let taken: SettingAnswer | undefined;
  const refusals: ApiResponse[] = [];
  const variants = typeOptions(setting);
  for (const option of variants.toSorted(
    (one, other) => Number(other === profile[setting]) - Number(one === profile[setting]),
  )) {
    const seen = await records.create(values, { settings: { [setting]: option } });
    const wire = findRecordIn(model, seen)?.[field.name];
    if (isRefused(seen)) refusals.push(seen);
    if (wire === undefined || isUnset(field, wire)) {
      reason = describe(seen);
      continue;
    }
    const options = optionsOf(field, wire, profile);
    const shown = options.filter((candidate) => {
      const spoken = under(profile, { [setting]: candidate });
      const kept = WIRE_TYPES[field.type].decode(wire, { field, profile: spoken });
      return agrees(field, asKept(field, canonical, spoken), kept);
    });
    // Where no other option has the form that was sent and is shown, it is the value that was changed.
    const [told, ...rest] = shown.length === 1 ? shown : options;
    if (told === option && rest.length === 0) return found(option, seen);
    // The service might accept its own form too. Another turn shows it.
    if (rest.length === 0) [isOther, taken] = [true, taken ?? option];
    reason = `${field.key} is returned as ${show(wire)}`;
  }
  // The field is to blame if a create without it is accepted, or the refusals name it.
  if (refusals.length === variants.length)
    isOther = field.required
      ? refusals.every(({ body }) => new RegExp(`\\b${field.name}\\b`).test(body))
      : isAccepted(await records.create(others));
  const said = `no value of ${field.key} shows the option: ${reason}`;
  return isOther ? unknown(said, taken, true) : unknown(said);
}
