import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE, loadProfile, type Profile, SETTINGS } from '../../spec/profile/profile.ts';
import { useDirectory } from '../temporary-directory.ts';
import { complaintOf } from './complaint.ts';

const catalogue = loadCatalogue();

/** Reads texts as p.yaml, in a directory for each test of a file. */
export function useProfileFile() {
  const directory = useDirectory();
  const load = (text: string): Profile => loadProfile(directory.write('p.yaml', text), catalogue);
  return { load, complaint: (text: string) => complaintOf(() => load(text)) };
}

/** Returns the settings of a profile that differ from the default. */
export const changes = (profile: Profile) =>
  Object.fromEntries(
    SETTINGS.filter(({ name }) => profile[name] !== DEFAULT_PROFILE[name]).map(({ name }) => [
      name,
      profile[name],
    ]),
  );
