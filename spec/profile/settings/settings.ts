import type { Declaration, SettingValue } from '../setting.ts';
import { accessSettings } from './access.ts';
import { deleteSettings } from './delete.ts';
import { limitsSettings } from './limits.ts';
import { listSettings } from './list.ts';
import { requestSettings } from './request.ts';
import { responseSettings } from './response.ts';
import { statusSettings } from './status.ts';
import { typesSettings } from './types.ts';

const DECLARATIONS = {
  ...requestSettings,
  ...responseSettings,
  ...statusSettings,
  ...deleteSettings,
  ...listSettings,
  ...typesSettings,
  ...accessSettings,
  ...limitsSettings,
};

export type SettingName = keyof typeof DECLARATIONS;

/** An answer to every setting. */
export type Settings = {
  readonly [Name in SettingName]: (typeof DECLARATIONS)[Name] extends Declaration<infer Value>
    ? Value
    : never;
};

/** A setting by its name, with the settings beside which it means something. */
export type Setting = Omit<Declaration<unknown>, 'when'> & {
  readonly name: SettingName;
  readonly when: readonly (readonly [name: SettingName, values: readonly SettingValue[]])[];
};

/** The settings in the order of `profile.default.yaml`. */
export const SETTINGS: readonly Setting[] = Object.keys(DECLARATIONS)
  .filter(isSettingName)
  .map((name) => ({
    ...DECLARATIONS[name],
    name,
    when: Object.entries(DECLARATIONS[name].when ?? {}).map(([other, values]) => {
      if (!isSettingName(other)) throw new Error(`${name} depends on ${other}, which is no setting`);
      return [other, [values].flat()] as const;
    }),
  }));

export function isSettingName(word: string): word is SettingName {
  return Object.hasOwn(DECLARATIONS, word);
}

// Each value is the default of the declaration that its type was taken from.
export const DEFAULTS = Object.fromEntries(
  SETTINGS.map((setting) => [setting.name, setting.default]),
) as Settings;

/** Whether a setting means something beside the others; `list.pageParameter` does not when paging is by offset. */
export function applies(setting: Setting, settings: Settings): boolean {
  return setting.when.every(([name, values]) => values.some((value) => value === settings[name]));
}
