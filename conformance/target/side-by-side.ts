/** Keeps a service busy. With more requests, the last could exceed its timeout in the queue. */
const SIDE_BY_SIDE = 4;

/**
 * Runs a task for each item, `count` at a time. After an error it starts no other task, and throws the error when all
 * started ones have ended. p-map doesn't wait for those.
 */
export async function sideBySide<Item, Result>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Result>,
  count = SIDE_BY_SIDE,
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
