import type { TypeName } from '../../spec/catalogue/field.ts';
import type { Profile, SettingName } from '../../spec/profile/profile.ts';
import type { UnknownForm, UnknownForms } from '../plan/plan-context.ts';
import type { Learned } from './learn.ts';
import { under } from './probe.ts';

/** What a service is judged by whose profile was learned. */
export type LearnedTerms = {
  readonly profile: Profile;
  readonly profileName: 'learned';
  /** The settings that could not be learned, with the reason. */
  readonly unknown: ReadonlyMap<SettingName, string>;
  readonly unknownForms: UnknownForms;
};

export function learnedTerms({ profile, settings }: Pick<Learned, 'profile' | 'settings'>): LearnedTerms {
  const unknown = new Map<SettingName, string>();
  const unknownForms = new Map<TypeName, UnknownForm>();
  let spoken = profile;
  for (const [name, finding] of settings) {
    if (finding.kind !== 'unknown') continue;
    unknown.set(name, finding.reason);
    // That lines are a list the source does say.
    if (name === 'types.lines' || finding.otherForm === undefined) continue;
    const { taken } = finding.otherForm;
    unknownForms.set(name.replace('types.', '') as TypeName, {
      why: finding.reason,
      isTaken: taken !== undefined,
    });
    if (taken !== undefined) spoken = under(spoken, name, taken);
  }
  return { profile: spoken, profileName: 'learned', unknown, unknownForms };
}
