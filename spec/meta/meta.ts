import { templateOf } from '../binding.ts';
import type { Area, Catalogue, Model, Operation } from '../catalogue/catalogue.ts';
import type { Field, Noun } from '../catalogue/field.ts';
import type { Contract } from '../contract.ts';
import { type Profile, SETTINGS, type Setting, typeSetting } from '../profile/profile.ts';
import type { Reference } from '../references.ts';
import { loadRequirements, type Requirement } from '../requirements.ts';
import { isText, refusesBlank, valueListOf } from '../types/types.ts';

/** Where a fact comes from: the source, an inferred link, or the profile. */
export type Basis = 'stated' | 'inferred' | 'assumed';

/** The facts about a field. `form` is the wire format of its values. Only requests have a `minLength`. */
export type FieldFact =
  | 'type'
  | 'required'
  | 'readonly'
  | 'values'
  | 'link'
  | 'form'
  | 'minLength'
  | 'maxLength';

/** The facts of a contract as plain data, for programs: forms, tables, generators. */
export type ContractFacts = {
  /** The title of the API. */
  readonly title: string;
  /** The version label of the API. */
  readonly version: string;
  /** The path before the name of a model, such as `/api/model`. */
  readonly base: string;
  /** The areas with their models, in the order of the source. */
  readonly areas: readonly Area[];
  /** The facts about each model and its fields, by name. */
  readonly models: Readonly<Record<string, ModelFacts>>;
  /** The settings of the profile, in their order. */
  readonly profile: readonly SettingFacts[];
};

type Bases = { readonly [Fact in FieldFact]?: Basis };

export type ModelFacts = {
  readonly area: string;
  /** The section of the source that defines the model; absent if the catalogue cites none. */
  readonly section?: string;
  /** The path of its records, such as `/api/model/brand`. */
  readonly path: string;
  readonly operations: readonly Operation[];
  /** The meaning of a record, in the words of the kit. */
  readonly description?: string;
  /** The nouns for one record, with the article, and for several. */
  readonly noun?: Noun;
  readonly fields: readonly FieldFacts[];
};

export type FieldFacts = Pick<Field, 'name' | 'type' | 'required' | 'readonly' | 'lines'> & {
  /** The weakest basis of the facts about the field. */
  readonly basis: Basis;
  /** The basis of each fact about the field. */
  readonly bases: Bases;
  /** The sections of the source, such as `2.1` or `2.1; 3`; absent if the catalogue cites none. */
  readonly section?: string;
  /** Minimum length of a string in a request, in characters. Only a profile gives one. */
  readonly minLength?: number;
  /** Maximum length of a string, in characters. The source states none, so only a profile can give one. */
  readonly maxLength?: number;
  /** All members of the value list. */
  readonly values?: readonly ValueFacts[];
  /** The model whose IDs the field holds, and the reason to infer it. */
  readonly link?: { readonly model: string; readonly reason: string };
  /** The name of the records whose IDs the field holds, if the catalogue does not describe them. */
  readonly outside?: string;
  /** The setting for the wire format of its values. */
  readonly form?: string;
  /** The note that the source has for the field. */
  readonly description?: string;
};

/** A member of a value list: its value, its name in the source, and an English name for code. */
export type ValueFacts = {
  readonly value: string | number;
  readonly label: string;
  readonly english?: string;
};

export type SettingFacts = {
  readonly setting: string;
  readonly value: unknown;
  readonly default: unknown;
  /** The meaning of the setting, in one sentence without a period. */
  readonly title: string;
  /** The meaning of the setting and of its options. */
  readonly about: string;
  /** The statement of the source about the detail that the setting decides; absent for another source. */
  readonly says?: string;
  /** The section that leaves the detail open; absent for another source. */
  readonly section?: string;
  /** All values if the set is closed. Otherwise the default and examples. */
  readonly options: readonly unknown[];
  readonly closed: boolean;
  /** Whether a running mock can change the setting, or only the sizes in it. */
  readonly live?: 'all' | 'sizes';
  /** Whether the profile does not know the value, and only supposes it. */
  readonly unknown: boolean;
};

/** Returns the facts of a contract. Pure, except that it reads the requirements of the kit on first use. */
export function describeContract(contract: Contract): ContractFacts {
  const { catalogue, profile, references } = contract;
  const { areas, base, models, title, version } = catalogue;
  const sections = new Map(areas.map(({ name, section }) => [name, section]));
  return {
    title,
    version,
    base,
    areas: areas.map(({ about, models, name, section }) => ({
      name,
      about,
      models,
      ...optional({ section }),
    })),
    models: Object.fromEntries([...models].map(([name, model]) => [name, describeModel(model)])),
    profile: SETTINGS.map((setting) => describeSetting(setting, profile, catalogue)),
  };

  function describeModel(model: Model): ModelFacts {
    const { about, area, fields, noun, operations } = model;
    const section = sections.get(area);
    return {
      area,
      ...optional({ section }),
      path: templateOf(base, model, 'list'),
      operations,
      ...optional({ description: about, noun }),
      fields: fields.map((field) => describeField(field, section)),
    };
  }

  function describeField(field: Field, ofArea: string | undefined): FieldFacts {
    const { about, choicesSection, common, lines, name, readonly, required, type } = field;
    const bases = basesOf(field, { profile, references });
    const own = common ? catalogue.commonSection : ofArea;
    const limit = profile['limits.text'];
    const values = valueListOf({ field, profile })?.map(
      ({ english, name: label, value }): ValueFacts => ({ value, label, ...optional({ english }) }),
    );
    return {
      name,
      type,
      required,
      readonly,
      basis: weakestOf(Object.values(bases)),
      bases,
      ...optional({
        section: own && choicesSection ? `${own}; ${choicesSection}` : (own ?? choicesSection),
        minLength: refusesBlank(field, profile) ? 1 : undefined,
        maxLength: isText(field) && limit !== 'none' ? limit : undefined,
        values,
      }),
      ...describeLink(references.get(field.key)),
      ...optional({ lines, form: typeSetting(field), description: about }),
    };
  }
}

function describeLink(reference: Reference | undefined): Pick<FieldFacts, 'link' | 'outside'> {
  if (reference === undefined) return {};
  return 'to' in reference
    ? { link: { model: reference.to, reason: reference.why } }
    : { outside: reference.outside };
}

function describeSetting(setting: Setting, profile: Profile, { sections }: Catalogue): SettingFacts {
  const { about, default: own, live, name, schema, section, variants } = setting;
  return {
    setting: name,
    value: profile[name],
    default: own,
    title: /^.*?(?=\. |\.$)/.exec(about)?.[0] ?? about,
    about,
    // Another catalogue has another source.
    ...(sections ? optional({ says: statementOn(setting)?.says, section }) : {}),
    options: variants,
    closed: Object.hasOwn(schema, 'enum'),
    unknown: profile.unknown[name] !== undefined,
    ...optional({ live }),
  };
}

/** Returns the requirement that a setting belongs to. */
function statementOn({ name }: Setting): Requirement | undefined {
  const own = `profile.${name}`;
  return [...loadRequirements().values()].find(({ rules }) =>
    rules.some((rule) => rule === own || rule.startsWith(`${own}-`)),
  );
}

/** Returns the members that are not undefined. */
function optional<Members extends object>(members: Members): Present<Members> {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Present<Members>;
}

type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

const FROM_WEAKEST: readonly Basis[] = ['assumed', 'inferred', 'stated'];

/** Returns the basis of each fact that the contract has about a field. */
export function basesOf(field: Field, { profile, references }: Omit<Contract, 'catalogue'>): Bases {
  return {
    type: 'stated',
    required: 'stated',
    readonly: 'stated',
    ...(valueListOf({ field, profile }) && { values: field.choices ? 'stated' : 'assumed' }),
    ...(references.has(field.key) && { link: 'inferred' }),
    ...(typeSetting(field) !== undefined && { form: 'assumed' }),
    ...(refusesBlank(field, profile) && { minLength: 'assumed' }),
    ...(isText(field) && profile['limits.text'] !== 'none' && { maxLength: 'assumed' }),
  };
}

/** Returns the weakest of some bases: assumed, inferred, stated. */
export function weakestOf(bases: readonly Basis[]): Basis {
  return FROM_WEAKEST.find((basis) => bases.includes(basis)) ?? 'stated';
}
