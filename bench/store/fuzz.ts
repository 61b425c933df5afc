import { existsSync, readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { decorateWith, parseDefect } from '../../mock/defects/defects.ts';
import { createMock, type Mock } from '../../mock/mock.ts';
import { isPostgres } from '../../mock/store/store.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import { loadContract } from '../../spec/contract.ts';
import { createRandom } from '../../testing/services/draw.ts';
import { usedHeap } from '../../testing/used-heap.ts';
import { createHostile, type Hostile, pick } from './hostile.ts';

export type FuzzOptions = {
  readonly requests: number;
  readonly seed: number;
  /** Where the mock keeps its records; in memory when absent. */
  readonly data?: string;
  /** A defect for all models, to see that it is noticed. */
  readonly defect?: string;
  readonly say?: (line: string) => void;
};

export type Fuzzed = {
  /** How many answers there were of each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Records that were read again and compared. */
  readonly compared: number;
  /** Bytes of the heap that are used beyond those at the beginning, once all sessions are as they began. */
  readonly left: number;
  readonly problems: readonly string[];
};

type Shown = Readonly<Record<string, unknown>>;
type Answered = { readonly status: number; readonly headers: Shown; readonly text: string };

const SESSIONS = ['default', 'a', 'b'];
/** More would tell nothing new. */
const MOST_PROBLEMS = 20;
/** Reads all lists after this number of requests, or this number of times. */
const ROUND = { requests: 2000, times: 20 };
const PAGE = 500;
/** Bytes that can remain after any number of requests: the checks that the first bodies compile. */
const MOST_LEFT = 24 * 1024 * 1024;
const MOST_OPEN = 4;
/** The connections that a mock keeps to a database, ten to read and ten to write, are made when they are needed. */
const MOST_CONNECTIONS = 20;

/**
 * Sends random requests, most of them invalid, to each operation of each model in several sessions. No response may be
 * a 5xx, each refusal has the form of the profile, and no ID is used twice. Each listed record can be retrieved, equals
 * its last response, and has its required fields. No session sees the changes of another. At the end, memory and
 * descriptors are as before.
 */
export async function fuzz({ data, defect, requests, say, seed }: FuzzOptions): Promise<Fuzzed> {
  const random = createRandom(seed);
  const problems: string[] = [];
  const note = (problem: string) => problems.length < MOST_PROBLEMS && problems.push(problem);
  const contract = loadContract();
  const { catalogue } = contract;
  const models = [...catalogue.models.values()];
  const mock = await createMock({
    fixtures: 'demo',
    ...(data !== undefined && { data }),
    ...(defect !== undefined && { decoration: decorateWith(parseDefect(defect, contract), contract) }),
    onError: (error) => note(`the mock failed: ${(error as Error).stack}`),
  });
  const hostile = createHostile(random, await mock.state());
  const expected = new Map<string, ReturnType<typeof createExpected>>();
  for (const name of SESSIONS)
    expected.set(name, createExpected(models, await mock.session(name).state(), note));
  const statuses = new Map<number, number>();
  const begun = { heap: usedHeap(), open: countOpen() };
  let left = 0;
  const round = Math.max(ROUND.requests, Math.ceil(requests / ROUND.times));
  let compared = 0;
  try {
    for (let count = 1; count <= requests && problems.length < MOST_PROBLEMS; count++) {
      const session = pick(SESSIONS, random);
      const model = pick(models, random);
      const { status } = await askOne(session, model);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (count % round > 0 && count < requests) continue;
      for (const name of SESSIONS) for (const one of models) compared += await compareList(name, one);
      say?.(`${count} of ${requests} requests, ${compared} records compared, ${problems.length} problems`);
    }
    expected.clear();
    for (const name of SESSIONS) {
      await mock.session(name).reset();
      await mock.session(name).clearRequests();
    }
    left = usedHeap() - begun.heap;
    if (left > MOST_LEFT) note(`${left} bytes are used that were not; expected at most ${MOST_LEFT}`);
    const open = countOpen() - begun.open;
    const mostOpen = data !== undefined && isPostgres(data) ? MOST_CONNECTIONS : MOST_OPEN;
    if (open > mostOpen) note(`${open} descriptors are open that were not; expected at most ${mostOpen}`);
  } finally {
    await mock.close();
  }
  return { statuses, compared, left, problems };

  async function askOne(session: string, model: Model): Promise<Answered> {
    const known = expected.get(session);
    const ids = known?.idsOf(model.name) ?? [];
    const wanted = hostile.request(model, ids);
    const answer = await ask(mock, catalogue.base, session, wanted);
    const place = `${session}: ${wanted.method} ${wanted.path}`;
    if (answer.status >= 500) note(`${place} was answered with ${answer.status}: ${answer.text}`);
    else if (answer.status >= 400) refuseOtherForm(place, wanted, answer);
    else if (wanted.operation !== undefined)
      known?.answered(model, wanted.operation, parse(answer.text), place);
    return answer;
  }

  function refuseOtherForm(place: string, { method }: Hostile, { headers, status, text }: Answered): void {
    const isProblem = headers['content-type'] === 'application/problem+json';
    const isSame = method === 'HEAD' ? text === '' : (parse(text) as Shown)?.status === status;
    if (!isProblem || !isSame) note(`${place} was refused in another form: ${status} ${text.slice(0, 200)}`);
  }

  /** Gives how many records the list has. */
  async function compareList(session: string, model: Model): Promise<number> {
    if (!model.operations.includes('list')) return 0;
    const found: Shown[] = [];
    for (let total = 1; found.length < total; ) {
      const path = `/${model.name}?limit=${PAGE}&offset=${found.length}`;
      const { headers, text } = await ask(mock, catalogue.base, session, { method: 'GET', path });
      const page = parse(text) as Shown[];
      total = Number(headers['x-total-count']);
      found.push(...page);
      if (page.length === 0 && found.length < total) note(`${session}: ${path} has no records; of ${total}`);
      if (page.length === 0) break;
    }
    expected.get(session)?.compare(model, found);
    if (model.operations.includes('retrieve'))
      for (const record of found) {
        const path = `/${model.name}/${record.id}`;
        const { status, text } = await ask(mock, catalogue.base, session, { method: 'GET', path });
        if (status !== 200 || text !== JSON.stringify(record))
          note(`${session}: ${path} is listed, and answered with ${status}: ${text}`);
      }
    return found.length;
  }
}

/** 0 where the system does not say. */
function countOpen(): number {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0;
}

type Asked = Pick<Hostile, 'method' | 'path'> & Partial<Pick<Hostile, 'body' | 'type'>>;

async function ask(mock: Mock, base: string, session: string, asked: Asked): Promise<Answered> {
  const { body, method, path, type } = asked;
  const answer = await mock.handle({
    method,
    target: base + path,
    headers: { 'x-mock-session': session, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: Buffer.from(body) }),
  });
  if (answer === 'dropped') return { status: 599, headers: {}, text: 'the connection was dropped' };
  return { status: answer.status, headers: answer.headers, text: String(answer.body) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The expected records of a session, from its responses. The models of lines and of their parents change with each other:
 * of these only what is listed is known.
 */
function createExpected(
  models: readonly Model[],
  begun: Readonly<Record<string, readonly Shown[]>>,
  note: (problem: string) => void,
) {
  const lines = models.flatMap(({ fields }) => fields.flatMap((field) => field.lines ?? []));
  const isAlone = ({ fields, name }: Model) =>
    !lines.includes(name) && fields.every((field) => field.lines === undefined);
  const records = new Map<string, Map<number, Shown | undefined>>();
  const given = new Map<string, Set<number>>();
  for (const { name } of models) {
    const all = begun[name] ?? [];
    const live = all.filter(({ deleted }) => deleted !== true);
    records.set(name, new Map(live.map(({ id }) => [Number(id), undefined])));
    given.set(name, new Set(all.map(({ id }) => Number(id))));
  }
  const of = (model: string) => records.get(model) ?? new Map<number, Shown | undefined>();
  return {
    /** Returns the IDs of the records of a model, as far as they are known. */
    idsOf: (model: string) => [...of(model).keys()],
    /** Notes a good response. */
    answered: ({ name }: Model, operation: Operation, body: unknown, place: string) => {
      const record = body as Shown | undefined;
      if (operation === 'list' || operation === 'retrieve') return;
      if (record === undefined) return note(`${place} was answered without a record`);
      const id = Number(record.id);
      if (operation === 'delete') return void of(name).delete(id);
      if (operation === 'create' && given.get(name)?.has(id)) note(`${place} gave the id ${id} again`);
      given.get(name)?.add(id);
      of(name).set(id, record);
    },
    /** Compares the whole list of a model. */
    compare: (model: Model, found: readonly Shown[]) => {
      const own = of(model.name);
      const ids = found.map(({ id }) => Number(id));
      if (new Set(ids).size < ids.length) note(`${model.name} lists an id twice: ${ids}`);
      if (isAlone(model)) compareIds(model.name, [...own.keys()], ids);
      for (const record of found) {
        const lacking = model.fields.filter(
          ({ name, required }) => required && (record[name] ?? null) === null,
        );
        if (lacking.length > 0)
          note(`${model.name} ${record.id} lacks ${lacking.map(({ name }) => name)}, which are required`);
        const known = own.get(Number(record.id));
        if (isAlone(model) && known && !isDeepStrictEqual(record, known))
          note(`${model.name} ${record.id} is not as it was answered: ${JSON.stringify([known, record])}`);
        given.get(model.name)?.add(Number(record.id));
      }
      if (!isAlone(model)) records.set(model.name, new Map(ids.map((id) => [id, undefined])));
    },
  };

  function compareIds(model: string, known: readonly number[], found: readonly number[]): void {
    const lost = known.filter((id) => !found.includes(id));
    const strange = found.filter((id) => !known.includes(id));
    if (lost.length > 0) note(`${model} does not list ${lost}, which were answered`);
    if (strange.length > 0) note(`${model} lists ${strange}, which nobody made in this session`);
  }
}
