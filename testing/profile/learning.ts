import { type Learned, type LearnOptions, learnProfile } from '../../conformance/learn/learn.ts';
import {
  createTarget,
  type Target,
  type TargetOptions,
  type TargetRequest,
} from '../../conformance/target/target.ts';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { createMock } from '../../mock/mock.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../checks.ts';
import { createInProcessTarget, credentialsFor } from '../in-process-target.ts';
import { before } from '../proxies/wrap.ts';
import { coverProfiles } from './profile-cover.ts';

/** Models with every type of field, and one that can only be read: a test that needs no others learns in less time. */
export const FEW: ReadonlySet<string> = new Set([
  'brand',
  'crmContact',
  'customer',
  'customerToTag',
  'helpArticle',
  'locker',
  'lockerType',
  'shareTransfer',
  'stockOrder',
  'subscriptionTask',
  'taskComment',
  'voucher',
  'voucherPrice',
  'voucherType',
  'warehouse',
]);

let far: readonly Profile[] | undefined;

/** Profiles that differ most from the default one; the proof (`bench/prove`) tries all that cover the settings. */
export function farProfiles(): readonly Profile[] {
  far ??= coverProfiles(catalogue).slice(0, 3);
  return far;
}

/** The result of learning, and all requests it sent. */
export type Observed = { readonly learned: Learned; readonly sent: readonly TargetRequest[] };

/** Learns the profile of the service at the URL of the target, from the few models by default. */
export async function observe(options: TargetOptions, more: Partial<LearnOptions> = {}): Promise<Observed> {
  return observeAt(createTarget(options), { selected: FEW, ...more });
}

/** Learns the profile of a mock with a profile, in this process, from all models by default. */
export async function observeMock(
  profile: Profile,
  fixtures: 'demo' | 'none',
  more: Partial<LearnOptions> = {},
): Promise<Observed> {
  const mock = await createMock({ catalogue, references, profile, fixtures: loadFixtures(fixtures) });
  return observeAt(createInProcessTarget(mock, credentialsFor(profile)), more);
}

/** Learns the profile of the service behind a target. */
export async function observeAt(target: Target, more: Partial<LearnOptions>): Promise<Observed> {
  const sent: TargetRequest[] = [];
  const watched = before((request) => sent.push(request))(target);
  try {
    const learned = await learnProfile({ catalogue, references, target: watched, write: true, ...more });
    return { learned, sent };
  } finally {
    await target.close();
  }
}
