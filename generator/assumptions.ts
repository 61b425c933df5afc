import type { Contract } from '../spec/contract.ts';
import { applies, SETTINGS } from '../spec/profile/profile.ts';

/** An answer the document gives to a question that the source leaves open. */
export type Assumption = {
  readonly setting: string;
  readonly value: unknown;
  /** The section of the source that leaves it open; absent if the catalogue has another source. */
  readonly section?: string;
  readonly about: string;
};

/** The settings that mean something under a profile, in the order of the ledger. */
export function assumptionsOf({ catalogue, profile }: Pick<Contract, 'catalogue' | 'profile'>): Assumption[] {
  return SETTINGS.filter((setting) => applies(setting, profile)).map(({ name, section, about }) => ({
    setting: name,
    value: structuredClone(profile[name]),
    ...(catalogue.sections ? { section } : {}),
    about,
  }));
}
