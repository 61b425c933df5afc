import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { type Answer, codingOf, isAccepted } from '../../api/answer.ts';
import { findRecord, findRecords, isId, listsIn, mostNamed } from '../../api/places.ts';
import { redirectOf } from '../../target/exchange.ts';
import { type Findings, found, Unlearned, unknown } from '../finding.ts';
import type { Probe } from '../probe.ts';
import type { ProbeContext } from '../probe-context.ts';
import { describe } from './quoting.ts';

const MOST_RETRIEVED = 3;

/** Where the records stand in an answer with many (section 4, rule 5). */
export const recordsProbe: Probe = {
  settings: ['response.records'],
  needs: 'reading',
  async run({ survey }) {
    const lists = await survey.lists();
    if (lists.size === 0) throw new Unlearned(describeStrange(survey.strange()));
    return judgeRecords(lists);
  },
};

/** Where one record stands in an answer; seen with records that are there. */
export const recordProbe: Probe = {
  settings: ['response.record'],
  needs: 'reading',
  async run(context) {
    const votes: (readonly [string, Answer])[] = [];
    for (const { model, id } of await retrievable(context)) {
      const seen = await context.api.retrieve(model.name, id);
      const place = isAccepted(seen) ? findRecord(model, seen.json) : undefined;
      if (!place || String(place.value.id) !== String(id)) continue;
      context.survey.note({ model, record: place.value, from: 'retrieve', answer: seen });
      votes.push([place.pointer, seen]);
    }
    const winner = mostNamed(votes);
    if (!winner) throw new Unlearned('no list shows a record that could be retrieved');
    return { 'response.record': found(...winner) };
  },
};

/** The same two after records were made, for a service that had none. */
export const madeEnvelopeProbe: Probe = {
  settings: ['response.records', 'response.record'],
  needs: 'writing',
  async run({ api, survey }) {
    const made = (await survey.records()).find(({ from }) => from === 'create');
    if (!made) throw new Unlearned('there is no record, and none could be made');
    const one = findRecord(made.model, made.answer.json);
    const listed = await api.list(made.model.name);
    return {
      ...judgeRecords(new Map([[made.model, listed]])),
      ...(one ? { 'response.record': found(one.pointer, made.answer) } : {}),
    };
  },
};

function judgeRecords(lists: ReadonlyMap<Model, Answer>): Findings {
  const filled = [...lists].flatMap(([model, seen]) => {
    const place = findRecords(model, seen.json);
    return place ? [{ model, seen, pointer: place.pointer }] : [];
  });
  // An empty list shows its place too where nothing else is a list.
  const empty = [...lists].flatMap(([model, seen]) => {
    const places = listsIn(seen.json);
    return places.length === 1 ? places.map(({ pointer }) => ({ model, seen, pointer })) : [];
  });
  const votes = filled.length > 0 ? filled : empty;
  const named = votes.filter(({ model, pointer }) =>
    pointer.toLowerCase().includes(model.name.toLowerCase()),
  );
  if (named.length * 2 > votes.length)
    return {
      'response.records': unknown(
        `records stand under the name of their model, as at "${named[0]?.pointer}"; a profile names one place for all`,
      ),
    };
  const winner = mostNamed(votes.map(({ pointer, seen }) => [pointer, seen] as const));
  if (winner) return { 'response.records': found(...winner) };
  const [first] = lists.values();
  return { 'response.records': unknown(`no list of records was seen${first ? `: ${describe(first)}` : ''}`) };
}

async function retrievable({ survey }: ProbeContext): Promise<{ model: Model; id: number | string }[]> {
  const found: { model: Model; id: number | string }[] = [];
  for (const { model, record } of await survey.records()) {
    const taken = found.length === MOST_RETRIEVED || found.some((other) => other.model === model);
    if (taken || !model.operations.includes('retrieve') || record.deleted || !isId(record.id)) continue;
    found.push({ model, id: record.id });
  }
  return found;
}

/** Why nothing could be listed. */
export function describeStrange(seen: Answer | undefined): string {
  if (!seen) return 'no list was answered';
  const redirect = describeRedirect(seen);
  if (redirect !== undefined) return redirect;
  if (!isAccepted(seen) || seen.json !== undefined) return describe(seen);
  return `${seen.asked} answered ${seen.status} with ${seen.exchange.response.headers['content-type'] ?? 'a body'}${codingOf(seen)} that is no JSON`;
}

/** Where an answer sends to, and the base URL of that place where the rest of the address is the same. */
function describeRedirect({ asked, exchange, status }: Answer): string | undefined {
  const { address, baseUrl } = redirectOf(exchange, asked.slice(asked.indexOf('/'))) ?? {};
  if (address === undefined) return undefined;
  const way = baseUrl === undefined ? '' : `: give ${baseUrl} as the base URL`;
  return `${asked} answered ${status} and leads to ${address}; redirects are not followed${way}`;
}
