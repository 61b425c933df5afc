/** Enough to keep a service busy; of more, the last would wait for the first until their time is over. */
const SIDE_BY_SIDE = 4;

/** Asks for each item, a few at a time, and no more than `most`; gives what comes of it in the order of the items. */
export function sideBySide<Item, Result>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Result>,
  most = SIDE_BY_SIDE,
): Promise<Result[]> {
  return atOnce(items, ask, Math.min(most, SIDE_BY_SIDE));
}

/**
 * Asks for each item, `count` at a time. After an error nothing more is asked; it is thrown once nothing is under way,
 * for which p-map does not wait.
 */
export async function atOnce<Item, Result>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Result>,
  count: number,
): Promise<Result[]> {
  const waiting = [...items].entries();
  const results: Result[] = [];
  const errors: unknown[] = [];
  const work = async () => {
    for (const [index, item] of waiting) {
      if (errors.length > 0) return;
      await ask(item).then(
        (result) => {
          results[index] = result;
        },
        (error) => errors.push(error),
      );
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  if (errors.length > 0) throw errors[0];
  return results;
}
