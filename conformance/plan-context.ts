import type { Catalogue } from '../spec/catalogue.ts';
import type { Profile } from '../spec/profile.ts';
import type { References } from '../spec/references.ts';

/** What is known before the first request. */
export type PlanContext = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
};
