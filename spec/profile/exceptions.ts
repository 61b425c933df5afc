import type { SettingName, Settings } from './settings.ts';

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
export function withoutExceptions(except: Exceptions, isLeftOut: (name: string) => boolean): Exceptions {
  const kept = Object.entries(except).flatMap(([place, own]) => {
    const left = Object.entries(own).filter(([name]) => !isLeftOut(name));
    return left.length > 0 ? [[place, Object.fromEntries(left)]] : [];
  });
  return Object.fromEntries(kept);
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
  return Object.freeze({ ...whole, except: withoutExceptions(whole.except, isForm) });
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
  if (Object.keys(profile.except).length === 0) return profile;
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
