import type { Model } from '../../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../../spec/catalogue/field.ts';
import { type SettingName, typeSetting } from '../../../../spec/profile/profile.ts';
import { parentLink } from '../../../../spec/references.ts';
import { isAccepted } from '../../../api/answer.ts';
import { findRecord } from '../../../api/places.ts';
import { Blocked } from '../../../assert/failure.ts';
import { writableFields } from '../../../records/values/values.ts';
import { type Finding, type Findings, hasOtherForm, Unlearned, unknown } from '../../finding.ts';
import { easiestModels, type Probe } from '../../probe.ts';
import type { ProbeContext } from '../../probe-context.ts';
import { describe } from '../quoting.ts';
import { tryField } from './try-field.ts';
import { judgeForms, TYPE_SETTINGS, valuesByType } from './type-forms.ts';

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
      ...(OTHERWISE_SHOWN.includes(type) ? { verifies: true } : {}),
      run: async (context) => {
        // What is shown as a day is taken as one.
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

async function tryType(context: ProbeContext, setting: SettingName): Promise<Finding> {
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
      if (!(error instanceof Blocked)) throw error;
      if (!hasOtherForm(last)) last = unknown(error.message);
    }
  }
  return last;
}

/** Lines given in full, else lines made beside their parent and then named by their ids. */
async function tryLines(context: ProbeContext): Promise<Finding> {
  const { api, profile, catalogue, references } = context;
  let reason = 'no model with a create has lines';
  for (const model of easiestModels(context))
    for (const field of writableFields(model)) {
      const line = catalogue.models.get(field.lines ?? '');
      if (!line) continue;
      const judge = (seen: Parameters<typeof describe>[0]): Finding => {
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
        if (id === undefined) throw new Unlearned(describe(parent));
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
        if (!(error instanceof Blocked)) throw error;
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
