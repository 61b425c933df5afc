import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Choice, Field } from '../../spec/catalogue/field.ts';
import { movesOf, type Profile, profileAt } from '../../spec/profile/profile.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type ApiResponse, type Id, isAccepted, isRefused } from '../api/answer.ts';
import { show } from '../assert/agreement.ts';
import { blocked, skip } from '../assert/ending.ts';
import { expectAccepted, expectRefused, expectValues } from '../cases/assert.ts';
import {
  type Assumption,
  type CaseContext,
  type FieldCase,
  row,
  type SharedRequests,
  where,
} from '../cases/rule.ts';
import type { MadeRecord } from '../records/model-records.ts';
import { writableFields } from '../records/values/values.ts';
import { madeIn, makeOnWay, needCreate, wayTo } from '../rules/shared.ts';
import { describe, type Findings, found, notShown, type Observation, seen, tryEach } from './observation.ts';
import { easiestFields, type Probe, type ProbeContext, RATE_HEADERS } from './probe.ts';

/** Lengths that are tried one after the other until one is refused. No longer one is tried. */
const LENGTHS: readonly [number, number, number] = [256, 1000, 10_000];

/** A create with all texts as long as possible, and the limit of the last text that has one. */
const longTexts: SharedRequests<{ readonly answer: ApiResponse; guess: number }> = {
  name: 'long texts',
  ask: async (context) => ({
    answer: await createTexts(context, LENGTHS[2], writableFields(context.model).filter(isText)),
    guess: 0,
  }),
};

function createTexts({ records, samples }: CaseContext, length: number, fields: readonly Field[]) {
  // Each text is another one, since it may have to be unique. It is ASCII, because a service can count bytes.
  const textOf = (field: Field) =>
    String(samples.otherValue(field, null) ?? '')
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .padEnd(length, 'x');
  const texts = fields.map((field) => [field.name, textOf(field).slice(-length)]);
  const values = { ...samples.values('required'), ...Object.fromEntries(texts) };
  return records.create(values, { asTold: true });
}

/** Returns the longest accepted text; undefined for all. Tries first whether it is as long as the guess. */
async function longestOf(guess: number, create: (length: number) => Promise<ApiResponse>) {
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  const tryLength = async (length: number) => {
    const answer = await create(length);
    if (isAccepted(answer)) low = length;
    else if (isRefused(answer)) high = length;
    else throw blocked(describe(answer));
    return answer;
  };
  const [first, ...longer] = guess > 0 ? [guess + 1, guess, ...LENGTHS] : LENGTHS;
  let last = await tryLength(first);
  for (const length of longer) if (length > low && length < high) last = await tryLength(length);
  if (high === Number.POSITIVE_INFINITY) return { low: undefined, last };
  // As a rule a column ends just below a power of two.
  for (let middle = high - 1; high - low > 1; middle = (low + high) >> 1) last = await tryLength(middle);
  return { low, last };
}

/**
 * The maximum length of each text (section 8): the longest one that the service accepts before it refuses one. A text without
 * a limit accepts the longest of `LENGTHS`.
 */
export const textLimitObservation: Observation = {
  setting: 'limits.text',
  title: 'A string of the maximum length is accepted, and a longer one is rejected',
  requirement: 'limits-not-shown',
  needs: ['create'],
  fields: (field) => !field.readonly && isText(field),
  // A text without a limit has nothing to compare.
  cases: (model, { profile }) =>
    writableFields(model).flatMap((field) => {
      const longest = profileAt(profile, field.key)['limits.text'];
      return isText(field) && longest !== 'none' ? { field, values: ['x'.repeat(longest)] } : [];
    }),
  async observe(context, field) {
    const { profile, samples } = context;
    await needCreate(context);
    if (samples.isPinned(field)) return { none: `only some values of ${field.key} are sent` };
    const { 'limits.text': own } = profileAt(profile, field.key);
    const known = own === 'none' ? await context.ask(longTexts) : undefined;
    if (known && isAccepted(known.answer)) return seen('none', known.answer);
    const guess = own === 'none' ? (known?.guess ?? 0) : own;
    const { last, low } = await longestOf(guess, (length) => createTexts(context, length, [field]));
    if (known && low !== undefined) known.guess = low;
    return low === 0 ? notShown('limits.text', last) : seen(low ?? 'none', last);
  },
};

/** Reads the maximum number of requests per second from headers (section 8). It sends no bursts to find a limit. */
export const rateProbe: Probe = {
  settings: ['limits.rate'],
  async run({ reachability }) {
    const seen = reachability.rate();
    if (!seen)
      throw blocked('no response header gives a limit, and learn sends no burst of requests to find it');
    for (const name of RATE_HEADERS) {
      const text = seen.headers[name] ?? '';
      const requests = Number(/(?:^|;\s*q=|,\s*|limit=)(\d{1,9})/.exec(text)?.[1]);
      const seconds = Number(/;\s*w=(\d{1,9})/.exec(text)?.[1]);
      const rate = Math.floor(requests / seconds);
      if (rate >= 1 && Number.isFinite(rate)) return { 'limits.rate': found(rate, seen) };
    }
    const names = RATE_HEADERS.filter((name) => name in seen.headers);
    throw blocked(`${names.join(', ')} gives no number of seconds`);
  },
};

export const rateRule: Assumption = {
  title: 'Requests above the rate limit of the profile get 429',
  requirement: 'limits-not-shown',
  setting: 'limits.rate',
  needs: ['list'],
  // One case a run: the limit is one of the service, not of a model.
  cases: where(
    ({ catalogue, profile }, model) =>
      profile['limits.rate'] !== 'none' && model === [...catalogue.models.values()][0],
  ),
  async judge() {
    throw skip('the suite sends no burst of requests to find a limit');
  },
};

const OUTSIDE = 'no-member';

/** The members of a list that are tried, one record each. */
const MOST_TRIED = 20;

/**
 * Value lists that the source does not show (section 2.4): if the service rejects a value outside, the list has the
 * values that the rejection names, and that a create with them accepts.
 */
export const valueListsProbe: Probe = {
  settings: ['values'],
  writes: true,
  async run(context): Promise<Findings> {
    const lists: Record<string, readonly string[]> = {};
    let proof: ApiResponse | undefined;
    let free: ApiResponse | undefined;
    let hidden: string | undefined;
    // The fields without a value list.
    const fields = easiestFields(
      context,
      ({ choices, type }) => type === 'fkModel' || (type === 'select' && choices === undefined),
    );
    const reason = await tryEach(fields, async ({ field, model }) => {
      const key = field.type === 'fkModel' ? 'fkModel' : field.key;
      if (Object.hasOwn(lists, key)) return;
      const { records, samples } = await context.open(model);
      const values = samples.values('required', [field]);
      const outside = WIRE_TYPES[field.type].encode(OUTSIDE, { field, profile: context.profile });
      const seen = await records.create(values, { more: { [field.name]: outside } });
      const members: string[] = [];
      // A refusal may name what is no value, as `one of es, en, null`.
      for (const [index, member] of (isRefused(seen) ? namedIn(seen) : []).entries())
        if (index >= MOST_TRIED || isAccepted(await records.create({ ...values, [field.name]: member })))
          members.push(member);
      if (isAccepted(seen)) free ??= seen;
      else if (members.length === 0) hidden ??= `${describe(seen)}, which does not list the values of ${key}`;
      else [lists[key], proof] = [members, proof ?? seen];
    });
    const shown = proof ?? (hidden === undefined ? free : undefined);
    if (!shown) throw blocked(hidden ?? reason ?? 'no field without a value list can be created');
    return { values: found(lists, shown) };
  },
};

const NAMED =
  /(?:one of|allowed(?: values)?(?: are)?|(?:expected|must be)(?: one of)?)\s*:?\s*\[?\s*([^"\].;}]{1,2000})/gi;

/** Returns the longest list of words that a refusal names as allowed: `must be one of es, en, but is "x"`. */
function namedIn({ body }: ApiResponse): string[] {
  const lists = [...body.replaceAll('\\"', "'").matchAll(NAMED)].map(([, list = '']) => {
    const words = list
      .replace(/,?\s+(?:but|got|found|received)\s.*/is, '')
      .split(/\s*,\s*|\s+or\s+|\s*\|\s*/)
      .map((word) => word.replace(/^(or\s+)?['`]?|['`]?\s*$/g, '').trim())
      .filter((word) => word !== '');
    return words.every((word) => /^[\w-]{1,40}$/.test(word)) ? words : [];
  });
  return lists.reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}

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
    const fields = easiestFields(
      context,
      (field, { operations }) => operations.includes('update') && hasStates(field),
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
  const { records, samples } = context;
  await needCreate(context);
  for (const { value: from } of field.choices ?? []) {
    if (from === to || samples.whyExcluded(field, from) !== undefined) continue;
    const values = { ...samples.values('required'), [field.name]: from };
    const made = madeIn(context, await records.createFresh(values));
    // Other cases check whether a create can set each value.
    if (made) return expectMove(context, field, made.id, to, made.sent);
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
async function tryMoves(context: ProbeContext, model: Model, field: Field) {
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
