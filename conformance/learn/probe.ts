import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Profile, type SettingName, typeSetting } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import type { Api } from '../api/api.ts';
import { linkTarget, writableFields } from '../records/values.ts';
import type { Findings } from './finding.ts';
import type { Making } from './making.ts';
import type { Reachability } from './reachability.ts';
import type { Survey } from './survey.ts';

/** A way to find out settings; what an earlier probe has found is not asked for again. */
export type Probe = {
  readonly settings: readonly SettingName[];
  readonly needs: 'reading' | 'writing';
  /** What it finds; settings that are not named stay as they are. Unlearned makes all of them unknown. */
  run(context: ProbeContext): Promise<Findings>;
};

export type ProbeContext = Omit<Contract, 'profile'> & {
  /** Why nothing is written; undefined where records may be made. */
  readonly readOnlyBecause: string | undefined;
  /** How the credentials were given, for a service whose 401 names no scheme. */
  readonly credentials?: 'bearer' | 'basic' | 'apiKey';
  /** What is found so far over the default profile. */
  readonly profile: Profile;
  readonly isFound: (setting: SettingName) => boolean;
  readonly api: Api;
  readonly reachability: Reachability;
  readonly survey: Survey;
  readonly making: Making;
};

const TEXT_TYPES: readonly string[] = ['string', 'text', 'markdown'];
export const NO_SUCH_ID = 2_147_483_647;

/**
 * The models a probe may write to, of those the service has: chosen by the catalogue, never by name. First those of
 * which no create was refused, then those with a text, those that ask for least, and those with the fewest fields,
 * whose records mean least to a service.
 */
export function easiestModels(
  { catalogue, making, references, survey }: ProbeContext,
  wanted: (model: Model) => boolean = () => true,
): Model[] {
  return [...catalogue.models.values()]
    .filter(({ operations }) => NEEDED.every((operation) => operations.includes(operation)))
    .filter((model) => survey.has(model) && wanted(model))
    .map((model) => ({
      model,
      ranks: [
        Number(making.isRefused(model)),
        Number(textFields(model).length === 0),
        costOf(model, references),
        writableFields(model).length,
      ] as const,
    }))
    .sort(({ ranks: one }, { ranks: other }) =>
      one.reduce((sum, rank, index) => sum || rank - (other[index] ?? 0), 0),
    )
    .map(({ model }) => model);
}

const NEEDED = ['create', 'retrieve', 'list', 'delete'] as const;

function costOf(model: Model, references: References): number {
  const required = writableFields(model).filter((field) => field.required);
  const costs = required.map((field) => {
    if (TEXT_TYPES.includes(field.type)) return 1;
    if (linkTarget(field, references) !== undefined) return 8;
    if (field.lines !== undefined) return 12;
    return typeSetting(field) === undefined ? 2 : 3;
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** The writable text fields of a model. */
export function textFields(model: Model): Field[] {
  return writableFields(model).filter(({ type }) => TEXT_TYPES.includes(type));
}

/** A profile that differs in one setting. */
export function under(profile: Profile, setting: SettingName, value: unknown): Profile {
  return Object.assign({ ...profile }, { [setting]: value });
}
