/** Enough to keep a service busy; of more, the last would wait for the first until their time is over. */
const SIDE_BY_SIDE = 4;

/** Asks for each item, a few at a time; gives what comes of it in the order of the items. */
export async function sideBySide<Item, Result>(
  items: Iterable<Item>,
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const waiting = [...items].entries();
  const results: Result[] = [];
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await ask(item);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return results;
}
