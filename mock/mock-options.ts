import { type Contract, loadContract } from '../spec/contract.ts';
import type { FaultRule } from './control/faults/fault-rule.ts';
import type { Exchanged } from './control/traffic.ts';
import type { Decoration } from './decoration.ts';
import type { Fixtures } from './seed/read-seeds.ts';

/** What a mock is made of; all of it may be left out. */
export type MockOptions = Partial<Contract> & {
  /** Records to begin with, by model, in the form of the default profile; none when absent. */
  readonly fixtures?: Fixtures | undefined;
  /** The time that every session begins at, and runs from; the clock's own when absent. */
  readonly now?: Date | undefined;
  /** The clock that all sessions run by; the system's when absent. */
  readonly clock?: () => Date;
  /** The longest body that is taken, in bytes; 1 MiB when absent. */
  readonly bodyLimit?: number;
  /** How many exchanges each session keeps; 1000 when absent, 0 for none. */
  readonly journal?: number | undefined;
  /** The most sessions beside the shared one, the one unused longest goes; 1000 when absent. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds after which a session that nobody used goes; an hour when absent. */
  readonly sessionIdle?: number | undefined;
  /** The faults that every session begins with. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** Milliseconds before every answer of the contract. */
  readonly latency?: FaultRule['delay'] | undefined;
  /** What delays and probabilities are drawn from; the same seed gives the same faults. 1 when absent. */
  readonly seed?: number | undefined;
  /** Whether `/__mock` is there; a token lets others than this machine use it. */
  readonly control?: { readonly token?: string } | false | undefined;
  /** Told of each exchange with the contract, in all sessions. */
  readonly onExchange?: ((exchange: Exchanged) => void) | undefined;
  /** Told of mistakes in the mock itself, each of which is answered with 500. */
  readonly onError?: (error: unknown) => void;
  /** What stands around the layers of the mock, such as a defect (`defects.ts`). */
  readonly decoration?: Decoration;
};

/** The Record Model API under the default profile, as far as nothing else is given. */
export function completeContract({ catalogue, profile, references }: Partial<Contract>): Contract {
  if (catalogue && profile && references) return { catalogue, profile, references };
  const known = loadContract();
  return {
    catalogue: catalogue ?? known.catalogue,
    profile: profile ?? known.profile,
    references: references ?? known.references,
  };
}

/** Two starts give the same bytes: what has no date of its own was created on the day of the version. */
export function startOf({ clock, now }: MockOptions, version: string): Date {
  if (now) return now;
  if (clock) return clock();
  const day = new Date(version);
  return Number.isNaN(day.getTime()) ? new Date(0) : day;
}
