import { type CollectedFixtures, collectFixtures } from '../fixtures/fixtures.ts';
import type { Catalogue } from '../spec/catalogue/catalogue.ts';
import { type Contract, loadContract } from '../spec/contract.ts';
import { createProfile, DEFAULT_PROFILE, loadProfile, type Profile } from '../spec/profile/profile.ts';
import type { FaultRule } from './control/faults/fault-rule.ts';
import type { Ongoing } from './control/sessions/sessions.ts';
import type { State } from './control/sessions/state.ts';
import type { Exchanged } from './control/traffic.ts';
import type { Decoration } from './decoration.ts';
import type { Wanted } from './generated/generated.ts';
import type { Fixtures } from './seed/seed-record.ts';
import type { User } from './users/users.ts';

/** What a mock is made of; all of it may be left out. */
export type MockOptions = Partial<Omit<Contract, 'profile'>> & {
  /** A profile, the settings that differ from the default one, or the path of a file with them. */
  readonly profile?: Profile | Readonly<Record<string, unknown>> | string | undefined;
  /**
   * Records to begin with, by model, in the form of the default profile, or where they are: `demo`, or the paths of
   * files or directories, of which later ones win. None when absent.
   */
  readonly fixtures?: Fixtures | State | string | readonly string[] | undefined;
  /** Records that are made beside them, in Spanish: so many of some models, or of each; `seed` decides which. */
  readonly records?: Wanted | undefined;
  /**
   * Where records, sessions and snapshots are kept beyond the process: the path of a SQLite file, which is made when
   * there is none, or the address of a PostgreSQL database (`postgres://…`). Fixtures and `records` fill a new one alone. In memory when absent.
   */
  readonly data?: string | undefined;
  /** When a write lasts: once the process may die (`normal`, when absent), or once the power may fail too (`full`). */
  readonly dataSync?: 'normal' | 'full' | undefined;
  /** Where pages reach the mock, for the pictures of those records; `http://127.0.0.1:4010` when absent. */
  readonly origin?: string | undefined;
  /** Whether required fields that fixtures lack are filled. */
  readonly lenient?: boolean | undefined;
  /** Whether links of fixtures that lead nowhere are mistakes; they are warnings when absent. */
  readonly checkLinks?: boolean | undefined;
  /** The time that every session begins at, and runs from; the clock's own when absent. */
  readonly now?: Date | undefined;
  /** The clock that all sessions run by; the system's when absent. */
  readonly clock?: () => Date;
  /** Who may ask, or the path of a file that says so; whoever has credentials at all when absent. */
  readonly users?: readonly User[] | string | undefined;
  /** The longest body that is taken, in bytes; 1 MiB when absent. */
  readonly bodyLimit?: number;
  /** The heap of the process in MiB beyond which writes are answered with 507; no bound but Node's own when absent. */
  readonly maxMemory?: number | undefined;
  /** How many exchanges each session keeps; 1000 when absent, 0 for none. */
  readonly journal?: number | undefined;
  /** Maximum number of sessions in addition to the shared one; 1000 when absent. A new one never replaces one with writes. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds after which a session that nobody used goes; an hour when absent. */
  readonly sessionIdle?: number | undefined;
  /** The faults that every session begins with. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** Milliseconds before every answer of the contract. */
  readonly latency?: FaultRule['delay'] | undefined;
  /** What generated records, delays and probabilities are drawn from: the same seed gives the same. 1 when absent. */
  readonly seed?: number | undefined;
  /** Whether `/__mock` is there; a token lets others than this machine use it. */
  readonly control?: { readonly token?: string } | false | undefined;
  /** Of a mock whose place this one takes (`ongoingOf`): clocks, faults and journals that go on. */
  readonly ongoing?: Ongoing | undefined;
  /** Told of each exchange with the contract, in all sessions. */
  readonly onExchange?: ((exchange: Exchanged) => void) | undefined;
  /** Told of mistakes in the mock itself, each of which is answered with 500. */
  readonly onError?: (error: unknown) => void;
  /** What stands around the layers of the mock, such as a defect (`defects.ts`). */
  readonly decoration?: Decoration;
};

/** Adds the demo records, which fit only the built-in catalogue. Other fixtures replace them. */
export function withDemoRecords(options: MockOptions): MockOptions {
  return options.catalogue ? options : { ...options, fixtures: options.fixtures ?? 'demo' };
}

/** The Record Model API under the default profile, as far as nothing else is given. */
export function completeContract({ catalogue, profile, references }: MockOptions): Contract {
  const known =
    catalogue && references
      ? { catalogue, references }
      : { ...loadContract(), ...(catalogue && { catalogue }) };
  return {
    catalogue: known.catalogue,
    references: references ?? known.references,
    profile: completeProfile(profile, known.catalogue),
  };
}

function completeProfile(profile: MockOptions['profile'], catalogue: Catalogue): Profile {
  if (profile === undefined) return DEFAULT_PROFILE;
  if (typeof profile === 'string') return loadProfile(profile, catalogue);
  return isComplete(profile) ? profile : createProfile(profile, catalogue);
}

/** No setting is called so. */
function isComplete(profile: object): profile is Profile {
  return Object.hasOwn(profile, 'unknown');
}

/** The records to begin with, by model, and what is wrong with the files they are from. */
export function completeFixtures(fixtures: MockOptions['fixtures'] = []): CollectedFixtures {
  if (typeof fixtures === 'string') return collectFixtures([fixtures]);
  if (Array.isArray(fixtures)) return collectFixtures(fixtures);
  const records = fixtures instanceof Map ? fixtures : new Map(Object.entries(fixtures));
  return { fixtures: records, mistakes: [] };
}

/** Two starts give the same bytes: what has no date of its own was created on the day of the version. */
export function startOf({ clock, now }: MockOptions, version: string): Date {
  if (now) return now;
  if (clock) return clock();
  const day = new Date(version);
  return Number.isNaN(day.getTime()) ? new Date(0) : day;
}
