import {
  DEFAULT_PROFILE,
  type Profile,
  type SettingName,
  type UnknownSetting,
} from '../../spec/profile/profile.ts';
import type { Learned } from './learn.ts';
import { under } from './probe.ts';

/** What a service is judged by whose profile was learned. */
export type LearnedTerms = { readonly profile: Profile; readonly profileName: 'learned' };

/** The same profile as the file holds that is written of what was learned: what could not be learned is unknown in it. */
export function learnedTerms({ profile, settings }: Pick<Learned, 'profile' | 'settings'>): LearnedTerms {
  const unknown: { [Name in SettingName]?: UnknownSetting } = {};
  let spoken = profile;
  for (const [name, finding] of settings) {
    if (finding.kind !== 'unknown') continue;
    const { otherForm, reason } = finding;
    // Of a form that is not told apart from others each fits; of other settings only a value that gave way does.
    const fits = otherForm === undefined && (isForm(name) || profile[name] !== DEFAULT_PROFILE[name]);
    const isTaken = otherForm?.taken !== undefined;
    unknown[name] = { why: `could not be learned (${reason})`, fits, ...(isTaken ? { isTaken } : {}) };
    if (otherForm?.taken !== undefined) spoken = under(spoken, name, otherForm.taken);
  }
  return { profile: { ...spoken, unknown }, profileName: 'learned' };
}

function isForm(name: SettingName): boolean {
  return name.startsWith('types.');
}
