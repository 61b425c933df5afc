import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Exchange } from '../target/exchange.ts';
import type { CaseContext, Question } from './rule.ts';

/** Answers that many cases of a model judge, and that are asked for once. */
export type Answers = {
  /** Asks with a context of its own, unless that was done before; every asker is shown the exchanges. */
  ask<T>(asker: Asker, question: Question<T>): Promise<T>;
  /** Asks anew from now on. */
  forget(model: Model): void;
};

type Asker = Pick<CaseContext, 'model' | 'show'>;

type Shared = { readonly found: unknown; readonly exchanges: readonly Exchange[] };

export function createAnswers(
  open: (model: Model, key: string, record: (exchange: Exchange) => void) => CaseContext,
): Answers {
  const memory = new Map<Model, Map<string, Promise<Shared>>>();
  return {
    async ask<T>({ model, show }: Asker, question: Question<T>): Promise<T> {
      const known = memory.get(model) ?? new Map<string, Promise<Shared>>();
      memory.set(model, known);
      const asked = known.get(question.name) ?? askOnce(model, question);
      known.set(question.name, asked);
      // What could not be answered at all is asked again, too.
      asked.catch(() => known.delete(question.name));
      const { exchanges, found } = await asked;
      show(exchanges);
      if (question.againAfter5xx && exchanges.some(({ response }) => response.status >= 500))
        known.delete(question.name);
      return found as T;
    },
    forget: (model) => void memory.delete(model),
  };

  async function askOnce<T>(model: Model, question: Question<T>): Promise<Shared> {
    const exchanges: Exchange[] = [];
    const context = open(model, question.name, (exchange) => exchanges.push(exchange));
    return { found: await question.ask(context), exchanges };
  }
}
