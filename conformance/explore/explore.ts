import {
  asyncModelRun,
  asyncProperty,
  check as checkProperty,
  commands,
  constantFrom,
  nat,
  tuple,
} from 'fast-check';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { CaseSetup } from '../plan/case-setup.ts';
import type { CaseContext } from '../plan/rule.ts';
import type { Finding } from '../results/results.ts';
import { createExpectedState } from '../state/state.ts';
import type { Exchange } from '../target/exchange.ts';
import { NoAnswer } from '../target/no-answer.ts';
import type { Target } from '../target/target.ts';
import { Contradicted, type Expected, KINDS, type Lane, type Real, Step } from './step.ts';

export type ExploreOptions = Contract & {
  readonly target: Target;
  readonly check: WireCheck;
  /** Milliseconds that a list may be late. */
  readonly recheckDelay?: number;
  /** Makes what sequences need, and removes it. */
  readonly setup: CaseSetup;
  /** The models to try. */
  readonly models: ReadonlySet<Model>;
  /** How many sequences. */
  readonly runs: number;
  /** Equal seeds draw equal sequences. */
  readonly seed: number;
  readonly isStopped: () => boolean;
};

const LONGEST = 12;
const MODELS_OF_ONE = 3;

/**
 * Random sequences of operations over a few models, judged by the expected state: one after the other, and two side by
 * side. The shortest one that still contradicts what is known is told, with all of its exchanges; none where nothing
 * does. Whatever is made is removed.
 */
export async function explore(options: ExploreOptions): Promise<readonly Finding[]> {
  const { isStopped, runs, seed } = options;
  const models = [...options.models].filter(({ operations }) => operations.includes('create'));
  if (models.length === 0 || runs <= 0) return [];
  let shortest: { readonly findings: readonly Finding[]; readonly length: number } | undefined;
  let sequence = 0;
  /** What ends the whole, and is no matter of the sequence. */
  let fault: unknown;

  const some = tuple(...Array.from({ length: MODELS_OF_ONE }, () => constantFrom(...models)));
  const steps = tuple(nat(MODELS_OF_ONE - 1), constantFrom(...KINDS), nat(100)).map(
    ([model, kind, pick]): Step => new Step(model, kind, pick),
  );
  const lane = commands([steps], { maxCommands: LONGEST });
  const property = asyncProperty(some, lane, lane, nat(1), async (chosen, one, other, lanes) => {
    if (isStopped() || fault !== undefined) return;
    await runOnce(chosen, lanes === 0 ? [one] : [one, other]);
  });
  const settings = { numRuns: runs, seed, endOnFailure: false };
  await checkProperty(property, settings);
  if (fault !== undefined) throw fault;
  return shortest?.findings ?? [];

  async function runOnce(chosen: readonly Model[], lanes: readonly Lane[]): Promise<void> {
    const exchanges: Exchange[] = [];
    // Once a list was wrong for good, it is so in each sequence that is tried to find the shortest.
    const state = createExpectedState({ ...options, ...(shortest ? { recheckDelay: 0 } : {}) });
    const record = (exchange: Exchange) => void exchanges.push(exchange);
    const contexts = new Map<Model, CaseContext>();
    const number = ++sequence;
    const open = (model: Model) => {
      const context = contexts.get(model) ?? options.setup.open(model, `sequence ${number}`, record, [state]);
      contexts.set(model, context);
      return context;
    };
    try {
      const start = () => ({
        model: { models: chosen, counts: new Map() } satisfies Expected,
        real: { state, open, records: new Map() } satisfies Real,
      });
      // Both lanes end before what they made is removed.
      const ended = await Promise.allSettled(lanes.map((one) => asyncModelRun(start, one)));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    } catch (error) {
      if (error instanceof NoAnswer && !error.gone) return;
      if (!(error instanceof Contradicted)) fault ??= error;
      else if (exchanges.length < (shortest?.length ?? Number.POSITIVE_INFINITY))
        shortest = {
          findings: state
            .contradictions()
            .map((finding) => ({ ...finding, exchanges: [...exchanges], sequence: true as const })),
          length: exchanges.length,
        };
      throw error;
    } finally {
      for (const context of contexts.values()) await options.setup.close(context);
    }
  }
}
