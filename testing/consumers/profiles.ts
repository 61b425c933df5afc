import type { Contract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { coverProfiles } from '../profile/profile-cover.ts';

/** Returns the default profile, and the profiles that differ most from it and from each other. */
export function farProfiles({ catalogue, profile }: Contract, count: number): Profile[] {
  const cover = coverProfiles(catalogue);
  const chosen = [profile];
  while (chosen.length < count) {
    const nearness = (one: Profile) => Math.min(...chosen.map((other) => differences(one, other)));
    const [farthest = profile] = cover.toSorted((one, other) => nearness(other) - nearness(one));
    chosen.push(farthest);
  }
  return chosen;
}

function differences(one: Profile, other: Profile): number {
  const names = Object.keys(one) as (keyof Profile)[];
  return names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name])).length;
}
