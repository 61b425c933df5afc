import { hideInText } from '../../api/others-values.ts';
import type { Finding } from '../../results/results.ts';

/** An answer that contradicts what the run knows. */
export type Contradiction = Finding;

export type Contradictions = {
  add(contradiction: Contradiction): void;
  readonly all: () => readonly Contradiction[];
};

/** A service that stores nothing would break a rule in every answer. */
const MOST = 2000;

/** The first of each case. */
export function createContradictions(): Contradictions {
  const byCase = new Map<string, Contradiction>();
  return {
    add(contradiction) {
      if (byCase.size < MOST && !byCase.has(contradiction.case))
        byCase.set(contradiction.case, withoutOthers(contradiction));
    },
    all: () => [...byCase.values()],
  };
}

/** A message about records of others shows no values of theirs. */
function withoutOthers({ expected, found, message, ...rest }: Contradiction): Contradiction {
  const hide = (text: string) => hideInText(text, rest.exchanges);
  return { ...rest, message: hide(message), expected: hide(expected), found: hide(found) };
}
