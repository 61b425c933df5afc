import type { Exchange } from '../target/exchange.ts';

/** An answer that contradicts what the run knows. */
export type Contradiction = {
  /** The case of the rule that it breaks: `create.keeps-field:customerTag.isDefault`. */
  readonly case: string;
  readonly message: string;
  readonly expected: string;
  readonly found: string;
  /** The exchange that shows it, and the write before it where that is known. */
  readonly exchanges: readonly Exchange[];
};

export type Contradictions = {
  add(contradiction: Contradiction): void;
  readonly all: () => readonly Contradiction[];
};

/** A service that keeps nothing contradicts itself in every answer. */
const MOST = 2000;

/** The first of each case. */
export function createContradictions(): Contradictions {
  const byCase = new Map<string, Contradiction>();
  return {
    add(contradiction) {
      if (byCase.size < MOST && !byCase.has(contradiction.case))
        byCase.set(contradiction.case, contradiction);
    },
    all: () => [...byCase.values()],
  };
}
