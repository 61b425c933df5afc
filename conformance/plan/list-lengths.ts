import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';

/**
 * Reads the lists of a service until one shows more records than wanted. In a whole run it reads each list at most twice:
 * once, and again because lists grow.
 */
export function createListLengths(
  { models }: Pick<Catalogue, 'models'>,
  lengthOf: (model: Model) => Promise<number>,
) {
  let longest = 0;
  let read = 0;
  let last: Promise<unknown> = Promise.resolve();
  return { showsMore };

  /** Whether the list of any model shows more records than the number. */
  function showsMore(than: number): Promise<boolean> {
    const mine = last.then(() => search(than));
    last = mine.catch(() => {});
    return mine;
  }

  async function search(than: number): Promise<boolean> {
    for (const model of models.values()) {
      if (longest > than || read >= 2 * models.size) break;
      if (!model.operations.includes('list')) continue;
      read++;
      longest = Math.max(longest, await lengthOf(model));
    }
    return longest > than;
  }
}
