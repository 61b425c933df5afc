import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Exchange } from '../target/exchange.ts';
import type { CaseContext, Question } from './context.ts';

/** Answers that many cases of a model judge, and that are asked for once. */
export type SharedAnswers = {
  /** Asks with a context of its own, unless that was done before; every asker is shown the exchanges. */
  ask<T>(context: CaseContext, question: Question<T>): Promise<T>;
  /** The same, except that what met a 5xx is asked again by the next case, instead of failing all of them. */
  askSound<T>(context: CaseContext, question: Question<T>): Promise<T>;
  /** Asks anew from now on. */
  forget(model: Model): void;
};

type Shared<T> = { readonly answer: T; readonly exchanges: readonly Exchange[] };

export function createSharedAnswers(
  open: (model: Model, question: unknown, record: (exchange: Exchange) => void) => CaseContext,
): SharedAnswers {
  const memory = new Map<Model, Map<Question<unknown>, Promise<Shared<unknown>>>>();
  return {
    ask: async (context, question) => (await answerFor(context, question)).answer,
    async askSound(context, question) {
      const { answer, exchanges } = await answerFor(context, question);
      if (exchanges.some(({ response }) => response.status >= 500))
        memory.get(context.model)?.delete(question);
      return answer;
    },
    forget: (model) => void memory.delete(model),
  };

  async function answerFor<T>({ model, show }: CaseContext, question: Question<T>): Promise<Shared<T>> {
    const known = memory.get(model) ?? new Map();
    memory.set(model, known);
    const asked: Promise<Shared<T>> = known.get(question) ?? answerOnce(model, question);
    known.set(question, asked);
    // What could not be answered at all is asked again, too.
    asked.catch(() => known.delete(question));
    const shared = await asked;
    show(shared.exchanges);
    return shared;
  }

  async function answerOnce<T>(model: Model, question: Question<T>): Promise<Shared<T>> {
    const exchanges: Exchange[] = [];
    const answer = await question(open(model, question, (exchange) => exchanges.push(exchange)));
    return { answer, exchanges };
  }
}
