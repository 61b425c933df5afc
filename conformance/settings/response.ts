import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { placesWith, pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, codingOf, isAccepted } from '../api/answer.ts';
import { findRecord, findRecords, isId, listsIn, mostNamed } from '../api/places.ts';
import { expectRecord } from '../assert/assert.ts';
import { Blocked, Failure, OtherOption } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { isMarked } from '../book/identity.ts';
import { describe, type Finding, type Findings, found, Unlearned, unknown } from '../learn/finding.ts';
import type { ProbeContext } from '../learn/probe-context.ts';
import { type Assumption, type CaseContext, eachField, once } from '../plan/rule.ts';
import { type SeenRecord, seenIn } from '../records/ids.ts';
import { minimal, plainList } from '../rules/questions/shared.ts';
import { needCreate, nothingToSee, observation } from '../rules/questions/updates.ts';
import { redirectOf } from '../target/exchange.ts';
import { easiestModels, type Probe } from './setting.ts';

const MOST_RETRIEVED = 3;

/** The place of the records in a list response (section 4, rule 5). */
export const recordsProbe: Probe = {
  settings: ['response.records'],
  needs: 'reading',
  async run({ survey }) {
    const lists = await survey.lists();
    if (lists.size === 0) throw new Unlearned(describeStrange(survey.strange()));
    return judgeRecords(lists);
  },
};

/** The place of a record in a response, from records that exist. */
export const recordProbe: Probe = {
  settings: ['response.record'],
  needs: 'reading',
  async run(context) {
    const votes: Vote[] = [];
    for (const { model, id } of await retrievable(context)) {
      const seen = await context.api.retrieve(model.name, id);
      const place = isAccepted(seen) ? findRecord(model, seen.json) : undefined;
      if (!place || String(place.value.id) !== String(id)) continue;
      context.survey.note({ model, record: place.value, from: 'retrieve', answer: seen });
      votes.push({ model, pointer: place.pointer, seen });
    }
    if (votes.length === 0) throw new Unlearned('no list contains a record to retrieve');
    return { 'response.record': judgePlace(votes) };
  },
};

/** The same two after records were made, for a service that had none. */
export const madeEnvelopeProbe: Probe = {
  settings: ['response.records', 'response.record'],
  needs: 'writing',
  async run(context) {
    const first = await judgeMade(context);
    const isOpen = Object.values(first).some(({ kind }) => kind === 'unknown');
    const [model] = isOpen ? easiestModels(context, hasTwoWords) : [];
    if (!model) return first;
    const { records, samples } = await context.open(model);
    const answer = await records.create(samples.values('required'));
    const record = isAccepted(answer) ? findRecord(model, answer.json)?.value : undefined;
    if (record) context.survey.note({ model, record, from: 'create', answer });
    return judgeMade(context);
  },
};

/** The place of records in responses under the profile. */
export const responseRules: readonly Assumption[] = [
  {
    title: 'A retrieve contains the record at the place set in the profile',
    requirement: 'encoding-not-shown',
    setting: 'response.record',
    needs: ['retrieve'],
    cases: once(async (context) => {
      const { retrieved } = await context.ask(observation);
      if (!retrieved) throw await nothingToSee(context);
      if (!isAccepted(retrieved)) throw new Blocked(`no ${context.model.name} could be retrieved`);
      const place = pointerFor(context.profile['response.record'], context.model.name);
      const elsewhere = findRecord(context.model, retrieved.json)?.pointer;
      if (!context.api.recordIn(retrieved) && elsewhere !== undefined)
        throw new OtherOption(
          'the target uses another response.record',
          `response.record "${place}"`,
          `a record at "${elsewhere}"`,
          retrieved.exchange,
        );
      if (expectRecord(context, retrieved, 'a retrieve').id === undefined)
        throw new Failure(
          'the value at that place is not a record',
          'an object with id',
          show(context.api.recordIn(retrieved)),
          retrieved.exchange,
        );
    }),
  },
  {
    title: 'A list contains the records at the place set in the profile',
    requirement: 'encoding-not-shown',
    setting: 'response.records',
    needs: ['list'],
    cases: once(async ({ api, ask, model, profile }) => {
      const answer = await ask(plainList);
      if (!isAccepted(answer) || api.recordsIn(answer)) return;
      const found = show(answer.json);
      const expected = `a list at "${pointerFor(profile['response.records'], model.name)}"`;
      const Kind = listsIn(answer.json).length > 0 ? OtherOption : Failure;
      throw new Kind('the list contains no records at that place', expected, found);
    }),
  },
];

async function judgeMade({ api, survey }: ProbeContext): Promise<Findings> {
  const all = (await survey.records()).filter(({ from }) => from === 'create');
  const made = [...new Map(all.map((one) => [one.model, one])).values()];
  if (made.length === 0) throw new Unlearned('there is no record, and none could be created');
  const votes = made.flatMap(({ answer: seen, model }): Vote[] => {
    const place = findRecord(model, seen.json);
    return place ? [{ model, pointer: place.pointer, seen }] : [];
  });
  const lists = new Map<Model, Answer>();
  for (const { model } of made) lists.set(model, await api.list(model.name));
  return {
    ...judgeRecords(lists),
    ...(votes.length > 0 ? { 'response.record': judgePlace(votes) } : {}),
  };
}

/** Where an answer shows a record, or records, of a model. */
type Vote = { readonly model: Model; readonly pointer: string; readonly seen: Answer };

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
  if (votes.length > 0) return { 'response.records': judgePlace(votes) };
  const [first] = lists.values();
  return {
    'response.records': unknown(
      `no response contains a list of records${first ? `: ${describe(first)}` : ''}`,
    ),
  };
}

/** The place that most have named: one for all, or one that names the model. */
function judgePlace(votes: readonly Vote[]): Finding {
  const places = votes.flatMap((vote) =>
    placesWith(vote.pointer, vote.model.name).map((place) => [place, vote] as const),
  );
  const [place = '', { pointer, seen }] = mostNamed(places) ?? ['', votes[0] as Vote];
  const behind = votes.filter((vote) => pointerFor(place, vote.model.name) === vote.pointer);
  const named = votes.filter((vote) => vote.pointer.toLowerCase().includes(vote.model.name.toLowerCase()));
  if (!place.includes('{') && named.length * 2 > votes.length)
    return unknown(
      `the place of records includes the model name in a form that no profile supports, such as "${named[0]?.pointer}"`,
    );
  // Only a name of two words shows whether the place is stockOrders or stock_orders.
  if (/\{models?\}/.test(place) && !behind.some(({ model }) => hasTwoWords(model)))
    return unknown(
      `the place of records includes the model name, as in "${pointer}", but no model name with two words was seen`,
    );
  return found(place, seen);
}

function hasTwoWords({ name }: Model): boolean {
  return /[A-Z]/.test(name);
}

async function retrievable({ survey }: ProbeContext): Promise<{ model: Model; id: number | string }[]> {
  const found: { model: Model; id: number | string }[] = [];
  const seen = await survey.records();
  // A name of two words shows more where the place holds it.
  const isLong = ({ model }: { readonly model: Model }) => Number(hasTwoWords(model));
  for (const { model, record } of seen.toSorted((one, other) => isLong(other) - isLong(one))) {
    const taken = found.length === MOST_RETRIEVED || found.some((other) => other.model === model);
    if (taken || !model.operations.includes('retrieve') || isMarked(model, record) || !isId(record.id))
      continue;
    found.push({ model, id: record.id });
  }
  return found;
}

/** Why nothing could be listed. */
export function describeStrange(seen: Answer | undefined): string {
  if (!seen) return 'no list succeeded';
  const redirect = describeRedirect(seen);
  if (redirect !== undefined) return redirect;
  if (!isAccepted(seen) || seen.json !== undefined) return describe(seen);
  return `${seen.asked} returned ${seen.status} with ${seen.exchange.response.headers['content-type'] ?? 'a body'}${codingOf(seen)} that is not JSON`;
}

/** Where an answer sends to, and the base URL of that place where the rest of the address is the same. */
function describeRedirect({ asked, exchange, status }: Answer): string | undefined {
  const { address, baseUrl } = redirectOf(exchange, asked.slice(asked.indexOf('/'))) ?? {};
  if (address === undefined) return undefined;
  const way = baseUrl === undefined ? '' : `. Use ${baseUrl} as the base URL`;
  return `${asked} returned ${status}, a redirect to ${address}; redirects are not followed${way}`;
}

/** How a field without a value is shown (section 4, rule 5), in records that are there. */
export const seenUnsetProbe: Probe = {
  settings: ['response.unset'],
  needs: 'reading',
  run: async ({ survey }) => {
    const records = await survey.records();
    const single = judgeUnset(records.filter(({ from }) => from !== 'list'));
    // A list may show less of a record than a retrieve, so that it is only looked at where nothing else tells.
    return single['response.unset']?.kind === 'found' ? single : judgeUnset(records);
  },
};

/** The same in a record that is made without its optional fields. */
export const madeUnsetProbe: Probe = {
  settings: ['response.unset'],
  needs: 'writing',
  async run(context) {
    const { api } = context;
    const [model] = easiestModels(context, ({ fields }) =>
      fields.some(({ readonly, required }) => !readonly && !required),
    );
    if (!model) throw new Unlearned('no model with a create has an optional field');
    const { records } = await context.open(model);
    const { id } = await records.make();
    const seen = await api.retrieve(model.name, id);
    const record = findRecord(model, seen.json)?.value;
    return judgeUnset(record ? [{ model, record, from: 'retrieve', answer: seen }] : []);
  },
};

/** The same, field by field, under the profile. */
export const unsetRule: Assumption = {
  title: 'A field without a value appears as set in the profile',
  requirement: 'encoding-not-shown',
  setting: 'response.unset',
  needs: ['retrieve'],
  cases: eachField(
    (field) => !field.required && field.lines === undefined && !isIdField(field),
    async (context, { name }) => {
      const wanted = context.profile['response.unset'];
      const seen = await recordsWithUnset(context);
      if (seen.length === 0) throw await nothingToSee(context);
      for (const { answer, from, record } of seen) {
        const shown = formOfUnset(record, name);
        // A service might set an optional field to a value that it chooses.
        if (shown !== undefined && shown !== wanted)
          throw new OtherOption(
            `${name} without a value has another form in the response to ${from}`,
            wanted,
            shown,
            answer.exchange,
          );
      }
    },
  ),
};

/** All answers seen, and one with nothing but required values where such a record can be made. */
async function recordsWithUnset(context: CaseContext): Promise<readonly SeenRecord[]> {
  const { records } = await context.ask(observation);
  if (context.readOnly || !context.model.operations.includes('create')) return records;
  await needCreate(context);
  return [...seenIn(context, 'retrieve', (await context.ask(minimal)).retrieved), ...records];
}

function judgeUnset(records: readonly SeenRecord[]): Findings {
  const shown = records.flatMap(({ answer, model, record }) =>
    model.fields
      .filter((field) => !field.required && !field.readonly && field.lines === undefined)
      .flatMap(({ key, name }) => {
        const option = formOfUnset(record, name);
        return option === undefined ? [] : [{ option, key, answer }];
      }),
  );
  const [first] = shown;
  const other = shown.find(({ option }) => option !== first?.option);
  if (!first) return { 'response.unset': unknown('no record has a field without a value') };
  if (!other) return { 'response.unset': found(first.option, first.answer) };
  const reason = `${first.key} is ${first.option} without a value, but ${other.key} is ${other.option}`;
  return { 'response.unset': unknown(reason) };
}

/** The form of a field without a value in a record; undefined if the field has a value. */
function formOfUnset(record: RecordValues, name: string): Profile['response.unset'] | undefined {
  if (!Object.hasOwn(record, name)) return 'absent';
  return record[name] === null ? 'null' : undefined;
}
