import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Choice, Field } from '../../spec/catalogue/field.ts';
import { movesOf, type Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type ApiResponse, type Id, isAccepted, isRefused } from '../api/answer.ts';
import { show } from '../assert/agreement.ts';
import { blocked, skip } from '../assert/ending.ts';
import { expectAccepted, expectRefused, expectValues } from '../cases/assert.ts';
import { type Assumption, type CaseContext, type FieldCase, row } from '../cases/rule.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { writableFields } from '../records/values/values.ts';
import { makeOnWay, wayTo } from '../rules/shared.ts';
import { needCreate } from '../rules/updates.ts';
import { describe, type Findings, found, tryEach } from './observation.ts';
import { easiestModels, type Probe, type ProbeContext } from './probe.ts';

/** Moves between more states than this would take too many requests. */
const MOST_STATES = 6;

type State = Choice['value'];

/** Which states may follow a state (section 3): every move is tried on records made for it. */
export const transitionsProbe: Probe = {
  settings: ['transitions'],
  writes: true,
  async run(context): Promise<Findings> {
    const restricted: Record<string, Moves> = {};
    let proof: ApiResponse | undefined;
    let free: ApiResponse | undefined;
    const models = easiestModels(context, ({ operations }) => operations.includes('update'));
    const fields = models.flatMap((model) =>
      writableFields(model)
        .filter(hasStates)
        .map((field) => ({ field, model })),
    );
    const reason = await tryEach(fields, async ({ field, model }) => {
      const { last, moves, refused } = await tryMoves(context, model, field);
      free ??= last;
      proof ??= refused;
      if (refused) restricted[field.key] = moves;
    });
    if (proof) return { transitions: found(restricted, proof) };
    if (!free) throw blocked(reason ?? 'no model with an update has a field with states');
    return { transitions: found('any', free) };
  },
};

export const transitionsRule: Assumption = row({
  title: 'A status field changes only as the profile allows',
  requirement: 'transitions-not-shown',
  setting: 'transitions',
  needs: ['create', 'retrieve', 'update'],
  cases: (model, { profile }) => model.fields.flatMap((field) => transitionCases(field, profile)),
  judge: (context, move) => (move.from === undefined ? expectAnyMove : expectNamedMove)(context, move),
});

type Move = FieldCase & { readonly from?: State; readonly to: State };

/** The moves of a field with a value list: each one from each state that the profile names, or else into each state. */
function transitionCases(field: Field, profile: Profile): Move[] {
  const states = (field.readonly ? undefined : field.choices)?.map(({ value }) => value) ?? [];
  const moves = movesOf(field, profile);
  if (!moves)
    return states.length < 2 ? [] : states.map((to) => ({ field, to, detail: `to-${to}`, values: [to] }));
  const named = states.filter((state) => Object.hasOwn(moves, String(state)));
  return named.flatMap((from) =>
    states
      .filter((to) => to !== from)
      .map((to) => ({ field, from, to, detail: `${from}-${to}`, values: [from, to] })),
  );
}

async function expectAnyMove(context: CaseContext, { field, to }: Move): Promise<void> {
  const { api, records, samples } = context;
  await needCreate(context);
  for (const { value: from } of field.choices ?? []) {
    if (from === to || samples.whyExcluded(field, from) !== undefined) continue;
    const { answer, sent } = await records.createFresh({ ...samples.values('required'), [field.name]: from });
    const id = isAccepted(answer) ? api.recordIn(answer)?.id : undefined;
    // Other cases check whether a create can set each value.
    if (typeof id === 'number') return expectMove(context, field, id, to, sent);
  }
  throw blocked(
    `no ${context.model.name} could be created in a state that allows a move to ${field.name} ${show(to)}`,
  );
}

async function expectNamedMove(context: CaseContext, { field, from = '', to }: Move): Promise<void> {
  const { model, profile, records } = context;
  const way = wayTo(from, movesOf(field, profile));
  if (!way)
    throw skip(
      `no move that the profile allows leads ${withArticle(model.name)} to ${field.name} ${show(from)}`,
    );
  const { id, sent } = await makeOnWay(context, field, way);
  const targets = movesOf(field, profile)?.[String(from)] ?? [];
  if (targets.some((target) => String(target) === String(to)))
    return expectMove(context, field, id, to, sent);
  const answer = await records.update(id, { [field.name]: to }, sent);
  expectRefused(answer, `the move of ${field.name} from ${from} to ${to}`);
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
  expectAccepted(answer, `a move of ${field.name} to ${show(to)}`);
  expectValues(context, wanted, await context.records.readValues(id), 'a retrieve after the move', answer);
}

/** The states that each state accepts next, and under `new` the only one of a new record. */
type Moves = Readonly<Record<string, readonly State[]>>;

function hasStates({ choices = [], name, required }: Field): boolean {
  return choices.length > 1 && choices.length <= MOST_STATES && (required || name === 'status');
}

/** Tries every move from every state that can be reached. Returns the first refusal, and the response to the last move. */
async function tryMoves(
  context: ProbeContext,
  model: Model,
  field: Field,
): Promise<{ readonly moves: Moves; readonly refused: ApiResponse | undefined; readonly last: ApiResponse }> {
  const open = await context.open(model);
  const { records, samples } = open;
  const states = (field.choices ?? []).map(({ value }) => value);
  /** The way to each state that can be reached: the state of a new record, then the moves that were accepted. */
  const ways = new Map<State, readonly State[]>();
  /** Records that are in each state now. */
  const present = new Map<State, MadeRecord[]>(states.map((state) => [state, []]));
  /** The states in which a create is refused. */
  const closed = new Map<State, ApiResponse>();
  const reason = await tryEach(states, async (state) => {
    const values = { ...samples.values('required', [field]), [field.name]: state };
    const { answer } = await records.createFresh(values);
    if (isRefused(answer)) return closed.set(state, answer);
    // Without an accepted update to the same value, a refused move would say nothing.
    present.get(state)?.push(await makeOnWay(open, field, [state, state]));
    return ways.set(state, [state]);
  });
  // If records can begin in several states, a refusal of another one is no rule about new records.
  const isClosed = ways.size === 1 && closed.size === states.length - 1;
  const moves: Record<string, State[]> = isClosed ? { new: [...ways.keys()] } : {};
  let refused = isClosed ? [...closed.values()][0] : undefined;
  let last: ApiResponse | undefined;
  // The loop also visits the states that are added meanwhile.
  for (const [from, way] of ways) {
    const allowed: State[] = [];
    moves[String(from)] = allowed;
    let made: MadeRecord | undefined;
    for (const to of states.filter((state) => state !== from)) {
      made ??= present.get(from)?.pop() ?? (await makeOnWay(open, field, way));
      last = await records.update(made.id, { [field.name]: to }, made.sent);
      if (isRefused(last)) {
        refused ??= last;
        continue;
      }
      if (!isAccepted(last)) throw blocked(describe(last));
      allowed.push(to);
      if (!ways.has(to)) ways.set(to, [...way, to]);
      present.get(to)?.push(made);
      made = undefined;
    }
  }
  if (!last) throw blocked(reason ?? `no ${model.name} could be created to try the states of ${field.name}`);
  return { moves, refused, last };
}
