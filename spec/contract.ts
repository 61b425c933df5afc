import { type Catalogue, loadCatalogue } from './catalogue/catalogue.ts';
import { DEFAULT_PROFILE, loadProfile, type Profile } from './profile/profile.ts';
import { loadReferences, type References } from './references.ts';

/** What a service is held to: the stated facts, an answer to each question they leave open, and the inferred links. */
export type Contract = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
};

/**
 * Loads the contract of a catalogue's directory and a profile's file: without them the Record Model API under the
 * default profile. The links stand in `references.yaml` beside the directory. Throws UsageError for what is wrong in
 * a file.
 */
export function loadContract(
  from: { readonly catalogue?: string; readonly profile?: string } = {},
): Contract {
  const catalogue = loadCatalogue(from.catalogue);
  return {
    catalogue,
    profile: from.profile === undefined ? DEFAULT_PROFILE : loadProfile(from.profile, catalogue),
    references: loadReferences(catalogue, from.catalogue),
  };
}
