/** Replicas that number their exchanges in the same thousandth of a second. */
const REPLICAS = 64;
const IN_A_MILLISECOND = 64;

/**
 * Ids that no other replica gives and that are in the order of time, as far as the clocks of their machines agree; whole
 * numbers that JSON keeps until 2039.
 */
export function createJournalIds(replica: number): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now() * IN_A_MILLISECOND);
    return last * REPLICAS + (replica % REPLICAS);
  };
}
