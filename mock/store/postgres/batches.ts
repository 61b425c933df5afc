import { setImmediate as turn } from 'node:timers/promises';

/** So many at once, so that no statement gets too long. */
const AT_ONCE = 50;

type Asked<Item, Answer> = {
  readonly item: Item;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Asks for many what would be a statement for each: those who ask in one turn of the event loop, or while the statement
 * before is on its way, share one. `run` gives an answer an item; when it rejects, all who shared it are told so.
 */
export function createBatches<Item, Answer>(
  run: (
    space: string,
    model: string,
    items: readonly Item[],
  ) => Promise<readonly (Answer | Promise<Answer>)[]>,
): (space: string, model: string, item: Item) => Promise<Answer> {
  const waiting = new Map<string, Asked<Item, Answer>[]>();
  return (space, model, item) =>
    new Promise((resolve, reject) => {
      const key = `${space} ${model}`;
      const known = waiting.get(key);
      const asked = known ?? [];
      asked.push({ item, resolve, reject });
      if (known) return;
      waiting.set(key, asked);
      void serve(key, space, model, asked);
    });

  async function serve(
    key: string,
    space: string,
    model: string,
    asked: Asked<Item, Answer>[],
  ): Promise<void> {
    for (;;) {
      await turn();
      const now = asked.splice(0, AT_ONCE);
      if (now.length === 0) break;
      try {
        const answers = await run(
          space,
          model,
          now.map(({ item }) => item),
        );
        for (const [index, { resolve }] of now.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of now) reject(error);
      }
    }
    waiting.delete(key);
  }
}
