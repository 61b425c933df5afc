import type { Model } from '../spec/catalogue.ts';
import type { CaseContext } from './context.ts';
import type { Exchange } from './exchange.ts';

/** Answers that many cases of a model judge, and that are asked for once. */
export type SharedAnswers = {
  /** Asks with a context of its own, unless that was done before; every asker is shown the exchanges. */
  ask<T>(name: string, context: CaseContext, question: (own: CaseContext) => Promise<T>): Promise<T>;
  /** Asks anew from now on. */
  forget(model: Model): void;
};

type Shared = { readonly answer: unknown; readonly exchanges: readonly Exchange[] };

export function createSharedAnswers(
  open: (model: Model, record: (exchange: Exchange) => void) => CaseContext,
): SharedAnswers {
  const memory = new Map<string, Promise<Shared>>();
  return {
    async ask(name, { model, show }, question) {
      const key = `${model.name} ${name}`;
      const asked = memory.get(key) ?? answerOnce(model, question);
      memory.set(key, asked);
      // What broke once is asked again by the next case, instead of failing all of them.
      asked.catch(() => memory.delete(key));
      const { answer, exchanges } = await asked;
      if (exchanges.some(({ response }) => response.status >= 500)) memory.delete(key);
      show(exchanges);
      // A name stands for one question, so the answer has the type of this one.
      return answer as Awaited<ReturnType<typeof question>>;
    },
    forget(model) {
      for (const key of memory.keys()) if (key.startsWith(`${model.name} `)) memory.delete(key);
    },
  };

  async function answerOnce(model: Model, question: (own: CaseContext) => Promise<unknown>): Promise<Shared> {
    const exchanges: Exchange[] = [];
    const answer = await question(open(model, (exchange) => exchanges.push(exchange)));
    return { answer, exchanges };
  }
}
