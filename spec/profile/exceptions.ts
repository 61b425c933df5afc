import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Place } from '../files/place.ts';
import { readAll, unexpected } from '../files/usage-error.ts';
import { checkCombination } from './combination.ts';
import { readOption } from './kinds.ts';
import { SETTINGS, type SettingName, type Settings, scopeOf } from './settings.ts';

/** The key of the models and fields that use other options. */
export const EXCEPT = 'except';

/** The settings of a model or field that differ from those of the service, by `model` or `model.field`. */
export type Exceptions = Readonly<Record<string, Partial<Settings>>>;

/** A model or field that uses another option than the service, and is not in the profile file. */
export type Deviation = {
  readonly place: string;
  readonly setting: SettingName;
  /** The option of the service. */
  readonly usual: unknown;
  /** The deviation in one sentence. */
  readonly text: string;
};

/** Returns the exceptions without some settings. */
export function withoutExceptions(
  except: Exceptions,
  settings: Readonly<Record<string, unknown>>,
): Exceptions {
  return Object.fromEntries(
    Object.entries(except).flatMap(([place, own]) => {
      const left = Object.entries(own).filter(([name]) => !Object.hasOwn(settings, name));
      return left.length > 0 ? [[place, Object.fromEntries(left)]] : [];
    }),
  );
}

/** Whether a model, or a field of it, has another form of a type than the service. */
export function hasOwnForm({ except }: { readonly except: Exceptions }, model: string): boolean {
  return Object.entries(except).some(
    ([place, own]) => place.split('.')[0] === model && Object.keys(own).some(isForm),
  );
}

/** Returns the profile of the service with the same form of a type at all models and fields. */
export function withoutForms<P extends Settings & { readonly except: Exceptions }>(profile: P): P {
  const whole = (wholes.get(profile) ?? profile) as P;
  const forms = Object.fromEntries(
    SETTINGS.filter(({ name }) => isForm(name)).map(({ name }) => [name, true]),
  );
  return Object.freeze({ ...whole, except: withoutExceptions(whole.except, forms) });
}

function isForm(setting: string): boolean {
  return setting.startsWith('types.');
}

const applied = new WeakMap<object, Map<string, object>>();
/** The profile of the service that each profile of a model or field comes from. */
const wholes = new WeakMap<object, object>();

/**
 * Returns the profile that holds for a model (`customer`) or a field (`customer.disabled`). An exception of a field
 * precedes one of its model.
 */
export function profileAt<P extends Settings & { readonly except: Exceptions; readonly unknown: object }>(
  profile: P,
  place: string,
): P {
  const whole = (wholes.get(profile) ?? profile) as P;
  const { except } = whole;
  const [model = ''] = place.split('.');
  if (!Object.hasOwn(except, model) && !Object.hasOwn(except, place)) return whole;
  const places = applied.get(whole) ?? new Map<string, object>();
  applied.set(whole, places);
  const known = places.get(place);
  if (known) return known as P;
  const own = { ...except[model], ...except[place] };
  const unknown = Object.entries(whole.unknown).filter(([setting]) => !Object.hasOwn(own, setting));
  const made = Object.freeze({ ...whole, ...own, unknown: Object.fromEntries(unknown) });
  places.set(place, made);
  wholes.set(made, whole);
  return made;
}

/** Reads the exceptions of a file. Throws UsageError for an unknown place, and for settings that can't hold there. */
export function readExceptions(
  file: Place,
  settings: Settings,
  catalogue: Catalogue,
  settingsIn: (place: Place) => ReadonlyMap<SettingName, Place>,
): Exceptions {
  const except: Record<string, Partial<Settings>> = {};
  readAll(file.entries(), ([key, entry]) => {
    const type = typeAt(String(key), entry, catalogue);
    const own = new Map<SettingName, unknown>();
    readAll([...settingsIn(entry)], ([name, value]) => {
      needScope(name, String(key), type, value);
      const setting = SETTINGS.find((one) => one.name === name);
      if (setting) own.set(name, readOption(setting, value, catalogue));
    });
    except[String(key)] = Object.fromEntries(own) as Partial<Settings>;
  });
  // A field is checked together with its model.
  readAll(file.entries(), ([key, entry]) =>
    checkCombination(profileAt({ ...settings, except, unknown: {} }, String(key)), entry, catalogue),
  );
  return except;
}

/** Returns the type of a field; undefined for a model. */
function typeAt(key: string, entry: Place, { models }: Catalogue): string | undefined {
  const [name = '', field] = key.split('.');
  const model = models.get(name);
  if (!model) return entry.fail(unexpected('model', name, [...models.keys()], `in ${EXCEPT}`));
  if (field === undefined) return undefined;
  const found = model.fields.find((one) => one.key === key);
  if (found) return found.type;
  const keys = model.fields.map((one) => one.key);
  return entry.fail(unexpected('field', key, keys, `in ${EXCEPT}`));
}

function needScope(name: SettingName, key: string, type: string | undefined, value: Place): void {
  const scope = scopeOf(name);
  if (scope === 'service')
    value.fail(`${name} can't be in ${EXCEPT} because it concerns the whole service. Remove it.`);
  if (type === undefined) return;
  if (scope === 'model')
    value.fail(`${name} can't differ for a field. Name the model ${key.split('.')[0]} instead of ${key}.`);
  if (name.startsWith('types.') && name !== `types.${type}`)
    value.fail(`${name} can't differ for ${key} because its type is ${type}. Remove it.`);
}
