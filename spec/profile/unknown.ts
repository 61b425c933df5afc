import type { Field } from '../catalogue/field.ts';
import { SETTINGS, type SettingName } from './settings/settings.ts';

/** The settings that nobody found out, with what is known of each all the same. */
export type UnknownSettings = { readonly [Name in SettingName]?: UnknownSetting };

export type UnknownSetting = {
  /** The end of a sentence about the setting: `is unknown in my-profile.yaml`, `could not be learned (…)`. */
  readonly why: string;
  /**
   * Whether the value is one that the service was seen to agree with (`{ unknown: value }`): it is only not told apart
   * from others. Else the value is the default, and may be wrong.
   */
  readonly fits: boolean;
  /** Whether values are accepted in the form of the value, though they are shown in another. */
  readonly isTaken?: boolean;
};

/** What a profile is asked for here. */
type KnowsUnknown = { readonly unknown: UnknownSettings };

/** Why nothing is judged by a setting; undefined where it is known. */
export function whyUnknown({ unknown }: KnowsUnknown, name: SettingName): string | undefined {
  const why = unknown[name]?.why;
  return why && `${name} ${why}; you can set it in the --profile file`;
}

/** Why values of a field are neither compared nor sent where they may be left out; undefined where their form is known. */
export function whyFormless(
  field: Field,
  { profile }: { readonly profile: KnowsUnknown },
): string | undefined {
  const name = typeSetting(field);
  // That lines are a list the source does say.
  if (name === undefined || name === 'types.lines' || profile.unknown[name]?.fits !== false) return undefined;
  return whyUnknown(profile, name);
}

/** Why no value of a field can be sent; undefined where its form is known, or taken. */
export function whyUnmakeable(
  field: Field,
  { profile }: { readonly profile: KnowsUnknown },
): string | undefined {
  const name = typeSetting(field);
  return name !== undefined && profile.unknown[name]?.isTaken ? undefined : whyFormless(field, { profile });
}

const OF_TYPE: ReadonlyMap<string, SettingName> = new Map(
  SETTINGS.filter(({ name }) => name.startsWith('types.')).map(({ name }) => [
    name.slice('types.'.length),
    name,
  ]),
);

/** The setting that says how a field's type looks on the wire; undefined for types with one form only. */
export function typeSetting({ type }: Pick<Field, 'type'>): SettingName | undefined {
  return OF_TYPE.get(type);
}
