import type { Model } from '../../spec/catalogue.ts';
import type { Choice, Field } from '../../spec/field.ts';
import { isAccepted } from '../api.ts';
import { writableFields } from '../values.ts';
import { type Findings, found, type Seen, Unlearned } from './finding.ts';
import { describe, type MadeHere } from './making.ts';
import { easiestModels, type Probe, type ProbeContext } from './probe.ts';

type State = Choice['value'];
/** The moves of a field that were accepted, by where they start; states that could not be reached are not named. */
type Moves = {
  readonly allowed: ReadonlyMap<State, readonly State[]>;
  readonly refused?: Seen;
  readonly last: Seen;
};

/** Moves between more states than this would take too many requests. */
const MOST_STATES = 6;

/** Which states may follow a state (section 3): every move is tried on records made for it. */
export const transitionsProbe: Probe = {
  settings: ['transitions'],
  needs: 'writing',
  async run(context): Promise<Findings> {
    const restricted: Record<string, Record<string, readonly State[]>> = {};
    let proof: Seen | undefined;
    let free: Seen | undefined;
    let reason = 'no model that can be updated has a field with states';
    for (const model of easiestModels(context, ({ operations }) => operations.includes('update')))
      for (const field of writableFields(model).filter(hasStates)) {
        try {
          const { allowed, refused, last } = await tryMoves(context, model, field);
          free ??= last;
          if (!refused) continue;
          proof ??= refused;
          restricted[field.key] = Object.fromEntries([...allowed].map(([from, to]) => [String(from), to]));
        } catch (error) {
          if (!(error instanceof Unlearned)) throw error;
          reason = error.message;
        }
      }
    if (proof) return { transitions: found(restricted, proof) };
    if (!free) throw new Unlearned(reason);
    return { transitions: found('any', free) };
  },
};

function hasStates({ choices, name, required }: Field): boolean {
  return (
    choices !== undefined &&
    choices.length <= MOST_STATES &&
    choices.length > 1 &&
    (required || name === 'status')
  );
}

async function tryMoves(context: ProbeContext, model: Model, field: Field): Promise<Moves> {
  const { making } = context;
  const states = (field.choices ?? []).map(({ value }) => value);
  const open = new Map(states.map((from) => [from, states.filter((to) => to !== from)]));
  const allowed = new Map<State, State[]>();
  const closed = new Set<State>();
  let refused: Seen | undefined;
  let last: Seen | undefined;
  let walker: { made: MadeHere; state: State } | undefined;
  for (;;) {
    const here = walker && (open.get(walker.state)?.length ?? 0) > 0 ? walker : await start();
    if (!here) break;
    walker = here;
    const from = here.state;
    const to = open.get(from)?.shift();
    if (to === undefined) break;
    last = await making.update(here.made, { [field.name]: to });
    if (!isAccepted(last)) {
      refused ??= last;
      continue;
    }
    allowed.get(from)?.push(to);
    walker = { made: here.made, state: to };
    if (!allowed.has(to)) allowed.set(to, []);
  }
  if (!last) throw new Unlearned(`no ${model.name} could be made to try the states of ${field.name}`);
  return { allowed: inOrder(states, allowed), last, ...(refused ? { refused } : {}) };

  /** A new record in a state with moves that were not tried yet. */
  async function start(): Promise<{ made: MadeHere; state: State } | undefined> {
    for (const state of states) {
      if (closed.has(state) || (open.get(state)?.length ?? 0) === 0) continue;
      try {
        const made = await making.make(model, { [field.name]: state });
        const stays = await making.update(made, { [field.name]: state });
        if (!isAccepted(stays))
          throw new Unlearned(`${field.key} can't be updated at all: ${describe(stays)}`);
        if (!allowed.has(state)) allowed.set(state, []);
        return { made, state };
      } catch (error) {
        if (!(error instanceof Unlearned)) throw error;
        closed.add(state);
        if (closed.size === states.length) throw error;
      }
    }
    return undefined;
  }
}

function inOrder(states: readonly State[], moves: ReadonlyMap<State, readonly State[]>): Map<State, State[]> {
  const known = states.filter((state) => moves.has(state));
  return new Map(known.map((from) => [from, states.filter((to) => moves.get(from)?.includes(to))]));
}
