import { type Catalogue, loadCatalogue } from './catalogue/catalogue.ts';
import { checkForms, isObject, isString, type OptionForm } from './files/check-options.ts';
import { createProfile, DEFAULT_PROFILE, loadProfile, type Profile } from './profile/profile.ts';
import { loadReferences, type References } from './references.ts';

/** The facts a service is checked against: stated facts, the profile for the open questions, and inferred links. */
export type Contract = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
};

/** The parts of a contract. A missing part is that of the Record Model API under the default profile. */
export type ContractSource = {
  /** A catalogue or the path of its directory. */
  readonly catalogue?: Catalogue | string | undefined;
  /** A profile, the settings that differ from the default one, or the path of a file with them. */
  readonly profile?: Profile | Readonly<Record<string, unknown>> | string | undefined;
  /** By default those of `references.yaml` next to the directory of the catalogue. */
  readonly references?: References | undefined;
};

export const CONTRACT_FORMS = {
  catalogue: ['a catalogue or the path of its directory', (value) => isString(value) || isCatalogue(value)],
  profile: [
    'a profile, its settings, or the path of a file',
    (value) => isString(value) || (isObject(value) && !(value instanceof Map)),
  ],
  references: ['references, as loadContract returns them', (value) => value instanceof Map],
} as const satisfies Readonly<Record<keyof ContractSource, OptionForm>>;

/** Loads a contract. Throws UsageError for a mistake in a file, and for a source in a wrong form. */
export function loadContract(from: ContractSource = {}): Contract {
  checkForms(from, CONTRACT_FORMS);
  const directory = typeof from.catalogue === 'string' ? from.catalogue : undefined;
  const catalogue = typeof from.catalogue === 'object' ? from.catalogue : loadCatalogue(directory);
  return {
    catalogue,
    profile: completeProfile(from.profile, catalogue),
    references:
      from.references ?? loadReferences(directory === undefined ? loadCatalogue() : catalogue, directory),
  };
}

function completeProfile(profile: ContractSource['profile'], catalogue: Catalogue): Profile {
  if (profile === undefined) return DEFAULT_PROFILE;
  if (typeof profile === 'string') return loadProfile(profile, catalogue);
  // Only a complete profile has this member: no setting has its name.
  return Object.hasOwn(profile, 'unknown') ? (profile as Profile) : createProfile(profile, catalogue);
}

function isCatalogue(value: unknown): boolean {
  return isObject(value) && isString(value.base) && value.models instanceof Map && Array.isArray(value.areas);
}
