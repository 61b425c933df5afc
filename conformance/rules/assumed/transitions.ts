import type { Field } from '../../../spec/catalogue/field.ts';
import type { Profile } from '../../../spec/profile/profile.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { expectAccepted, expectRefused, expectValues, statusOf } from '../../assert/assert.ts';
import { Blocked, OtherOption, whyDenied } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { Case, CaseContext } from '../../plan/rule.ts';
import { movesOf } from '../../records/values/values.ts';
import { needCreate } from '../questions/updates.ts';

type State = string | number;

/** The moves of a field with a value list: each allowed one is made and each other one refused; any, where none is named. */
export function transitionCases(field: Field, profile: Profile): Case[] {
  const states = (field.readonly ? undefined : field.choices)?.map(({ value }) => value) ?? [];
  const moves = movesOf(field, profile);
  return moves ? namedMoves(field, states, moves) : anyMoves(field, states);
}

/** Into each state from some other one. */
function anyMoves(field: Field, states: readonly State[]): Case[] {
  if (states.length < 2) return [];
  return states.map((to) => ({
    field,
    detail: `to-${to}`,
    run: async (context) => {
      await needCreate(context);
      for (const from of states) {
        if (from === to) continue;
        const answer = await context.records.create({
          ...context.samples.values('required'),
          [field.name]: from,
        });
        const id = isAccepted(answer) ? context.api.recordIn(answer)?.id : undefined;
        // Other cases check whether a create can set each value.
        if (typeof id === 'number')
          return expectMove(context, field, id, to, context.samples.values('required'));
      }
      throw new Blocked(
        `no ${context.model.name} could be created in a state that allows a move to ${field.name} ${show(to)}`,
      );
    },
  }));
}

function namedMoves(
  field: Field,
  states: readonly State[],
  moves: Readonly<Record<string, readonly State[]>>,
): Case[] {
  return Object.entries(moves).flatMap(([from, targets]) =>
    states
      .filter((to) => String(to) !== from)
      .map((to) => ({
        field,
        detail: `${from}-${to}`,
        run: async (context: CaseContext) => {
          const start = states.find((state) => String(state) === from) ?? from;
          const { id, sent } = await context.records.make({
            ...context.samples.values('required'),
            [field.name]: start,
          });
          if (targets.some((target) => String(target) === String(to)))
            return expectMove(context, field, id, to, sent);
          const answer = await context.records.update(id, { [field.name]: to }, sent);
          const what = `the move of ${field.name} from ${from} to ${to}`;
          if (isAccepted(answer))
            throw otherMoves(`the target does not reject ${what}`, 'a 4xx status', answer);
          expectRefused(answer, what);
        },
      })),
  );
}

async function expectMove(
  context: CaseContext,
  field: Field,
  id: Id,
  to: Value,
  sent: Readonly<Record<string, Value>>,
): Promise<void> {
  const wanted = { [field.name]: to };
  const answer = await context.records.update(id, wanted, sent);
  const what = `a move of ${field.name} to ${show(to)}`;
  if (isRefused(answer) && whyDenied(answer) === undefined)
    throw otherMoves(`the target does not accept ${what}`, 'a 2xx status', answer);
  expectAccepted(answer, what);
  expectValues(context, wanted, await context.records.readValues(id), 'a retrieve after the move', answer);
}

function otherMoves(message: string, expected: string, answer: Answer): OtherOption {
  return new OtherOption(message, expected, statusOf(answer), answer.exchange);
}
