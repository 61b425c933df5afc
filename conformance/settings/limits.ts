import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import { type ApiResponse, isAccepted, isRefused, placesIn } from '../api/answer.ts';
import { blocked, isEnded, skip } from '../assert/ending.ts';
import { expectAccepted, expectRefused } from '../cases/assert.ts';
import { type Assumption, row, where } from '../cases/rule.ts';
import { writableFields } from '../records/values/values.ts';
import { oneLine } from '../results/text.ts';
import { createWith } from '../rules/shared.ts';
import { needCreate } from '../rules/updates.ts';
import { describe, type Findings, found, unknown } from './observation.ts';
import { easiestModels, type Probe, type ProbeContext, RATE_HEADERS, textFields } from './probe.ts';

/** Lengths that are tried one after the other until one is refused. */
const LENGTHS = [256, 1000, 65_536];

/**
 * Finds the maximum length of a text (section 8): the longest one that the service accepts before it refuses one. It is
 * unknown if types of texts differ, because a profile has one limit for all.
 */
export const textLimitProbe: Probe = {
  settings: ['limits.text'],
  needs: 'writing',
  async run(context): Promise<Findings> {
    const [place, ...others] = textPlaces(context);
    if (!place) throw blocked('no model with a create has a string field');
    const tryLength = (length: number) => createText(context, place, length);
    let taken = 0;
    let last: ApiResponse | undefined;
    for (const length of LENGTHS) {
      last = await tryLength(length);
      if (!isAccepted(last)) break;
      taken = length;
    }
    if (!last || isAccepted(last))
      return { 'limits.text': last ? found('none', last) : unknown('no length was tried') };
    if (!isRefused(last)) throw blocked(describe(last));
    let [low, high] = [taken, LENGTHS.find((length) => length > taken) ?? taken];
    // As a rule a column ends just below a power of two.
    for (let middle = high - 1; high - low > 1; middle = (low + high) >> 1) {
      const seen = await tryLength(middle);
      if (isAccepted(seen)) low = middle;
      else [high, last] = [middle, seen];
    }
    if (low === 0) throw blocked(`the service rejects strings of every length: ${describe(last)}`);
    for (const other of others) {
      const takes = async (length: number) => isAccepted(await createText(context, other, length));
      const differs = (await takes(low)) ? await takes(low + 1) : await takes(1);
      if (differs)
        throw blocked(
          `${place.field.key} accepts ${low} characters, but ${other.field.key} accepts another number`,
        );
    }
    return { 'limits.text': found(low, last) };
  },
};

/** Reads the maximum number of requests per second from headers (section 8). It sends no bursts to find a limit. */
export const rateProbe: Probe = {
  settings: ['limits.rate'],
  needs: 'reading',
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
    const shown = RATE_HEADERS.filter((name) => name in seen.headers).map(
      (name) => `${name}: ${seen.exchange.response.headers[name]}`,
    );
    throw blocked(`${oneLine(shown.join(', '), 200)} gives no number of seconds`);
  },
};

/** Limits under the profile: `limits.*`. */
export const limitRules: readonly Assumption[] = [
  row({
    title: 'A string of the maximum length is accepted, and a longer one is rejected',
    requirement: 'limits-not-shown',
    setting: 'limits.text',
    needs: ['create'],
    cases: (model, { profile }) => {
      const longest = profile['limits.text'];
      if (longest === 'none') return [];
      return writableFields(model)
        .filter(isText)
        .map((field) => ({
          field,
          values: ['x'.repeat(longest)],
        }));
    },
    async judge(context, { field }) {
      const longest = Number(context.profile['limits.text']);
      // Each text is another one, since it may have to be unique.
      const ofLength = (length: number) =>
        String(context.samples.otherValue(field, null) ?? '').padEnd(length, 'x');
      await needCreate(context);
      const values = { ...context.samples.values('required'), [field.name]: ofLength(longest) };
      expectAccepted(await context.records.create(values, { asTold: true }), `${longest} characters`);
      expectRefused(
        await createWith(context, { [field.name]: ofLength(longest + 1) }),
        `${longest + 1} characters`,
      );
    },
  }),
  {
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
  },
];

type TextPlace = { readonly model: Model; readonly field: Field };

/** A field of each type of texts, the one that is easiest to make first. */
function textPlaces(context: ProbeContext): TextPlace[] {
  const places = easiestModels(context).flatMap((model) =>
    textFields(model).map((field) => ({ model, field })),
  );
  return places.filter(
    ({ field }, index) => places.findIndex((other) => other.field.type === field.type) === index,
  );
}

async function createText(
  { open }: ProbeContext,
  { field, model }: TextPlace,
  length: number,
): Promise<ApiResponse> {
  const { records, samples } = await open(model);
  const values = { ...samples.values('required', [field]), [field.name]: 'x'.repeat(length) };
  return records.create(values, { asTold: true });
}

type Member = string | number;
/** The members as the refusal names them, none where it does not; and those that records show. */
type Limited = {
  readonly named: readonly Member[];
  readonly shown: readonly Member[];
  readonly seen: ApiResponse;
};
type Values = Limited | { readonly free: ApiResponse } | undefined;

const OUTSIDE = 'no-member';
/** The members of a list that are tried, one record each. */
const MOST_TRIED = 20;

/**
 * Value lists the source does not show (section 2.4): a value outside is refused, and the list is known where the
 * refusal names it. The values that records show may be a part of it, so that they are no list.
 */
export const valueListsProbe: Probe = {
  settings: ['values'],
  needs: 'reading',
  async run(context): Promise<Findings> {
    const lists: Record<string, readonly Member[]> = {};
    let proof: ApiResponse | undefined;
    let free: ApiResponse | undefined;
    let reason = 'no field without a value list could be tested';
    let hidden: string | undefined;
    for (const field of unlistedFields(context)) {
      const key = field.type === 'fkModel' ? 'fkModel' : field.key;
      if (Object.hasOwn(lists, key)) continue;
      try {
        const answer = (await tryCreate(context, field)) ?? (await tryFilter(context, field));
        if (answer && 'free' in answer) free ??= answer.free;
        if (!answer || !('named' in answer)) continue;
        if (answer.named.length === 0) {
          hidden ??= describeHidden(key, answer);
          continue;
        }
        lists[key] = answer.named;
        proof ??= answer.seen;
      } catch (error) {
        if (!isEnded(error, 'blocked')) throw error;
        reason = error.message;
      }
    }
    if (proof) return { values: found(lists, proof) };
    if (hidden !== undefined) throw blocked(hidden);
    if (!free) throw blocked(reason);
    return { values: found({}, free) };
  },
};

function describeHidden(key: string, { seen, shown }: Limited): string {
  const known = shown.length > 0 ? `Records contain ${shown.join(', ')}` : 'No record contains a value';
  return `${describe(seen)}, which does not list the values of ${key}. ${known}`;
}

function unlistedFields({ catalogue }: ProbeContext): Field[] {
  return [...catalogue.models.values()]
    .flatMap(({ fields }) => fields)
    .filter(({ choices, type }) => type === 'fkModel' || (type === 'select' && choices === undefined));
}

/** Creates a record with a value no list has. A refusal counts where the same without the value is accepted. */
async function tryCreate(context: ProbeContext, field: Field): Promise<Values> {
  const { profile, readOnlyBecause } = context;
  const model = easiestModels(context, (candidate) => writableFields(candidate).includes(field))[0];
  if (!model || readOnlyBecause !== undefined) return undefined;
  const { records, samples } = await context.open(model);
  const values = samples.values('required', [field]);
  const outside = WIRE_TYPES[field.type].encode(OUTSIDE, { field, profile });
  const seen = await records.create(values, { more: { [field.name]: outside } });
  if (isAccepted(seen)) return { free: seen };
  const { named, shown } = await membersOf(context, field, seen);
  // A refusal may name what is no value, as `one of es, en, null`.
  const taken = new Set<Member>();
  for (const member of named.slice(0, MOST_TRIED))
    if (isAccepted(await records.create({ ...values, [field.name]: member }))) taken.add(member);
  const members = named.filter((member, at) => at >= MOST_TRIED || taken.has(member));
  const [other] = shown;
  const isTaken =
    taken.size > 0 ||
    isAccepted(await records.create(other === undefined ? values : { ...values, [field.name]: other }));
  if (!isRefused(seen) || !isTaken) throw blocked(describe(seen));
  return { named: members, shown, seen };
}

/** A list that refuses to be filtered by an outside value, and not by one that is there. */
async function tryFilter(context: ProbeContext, field: Field): Promise<Values> {
  const { api, catalogue, isFound, profile } = context;
  const model = [...catalogue.models.values()].find(({ fields }) => fields.includes(field));
  if (!model || !isFound('list.filter') || profile['list.filter'] === 'none') return undefined;
  const seen = await api.list(model.name, { [field.name]: OUTSIDE });
  if (!isRefused(seen)) return undefined;
  const members = await membersOf(context, field, seen);
  const [member] = [...members.named, ...members.shown];
  if (member === undefined) return undefined;
  const control = await api.list(model.name, { [field.name]: String(member) });
  return isAccepted(control) ? { ...members, seen } : undefined;
}

/** The list as the refusal names it, unless records show other values; and the values that records show. */
async function membersOf(
  context: ProbeContext,
  field: Field,
  seen: ApiResponse,
): Promise<Pick<Limited, 'named' | 'shown'>> {
  const { catalogue, profile, survey } = context;
  const values = (await survey.records()).flatMap(({ model, record }) =>
    model.fields
      .filter((other) => other === field || (field.type === 'fkModel' && other.type === 'fkModel'))
      .flatMap(({ name }) => {
        const wire = record[name];
        if (wire === undefined || wire === null) return [];
        const value = WIRE_TYPES[field.type].decode(wire, { field, profile });
        return typeof value === 'string' || typeof value === 'number' ? [value] : [];
      }),
  );
  const isMember = (value: Member) => field.type !== 'fkModel' || catalogue.models.has(String(value));
  const shown = [...new Set(values)].filter(isMember);
  const told = toldBy(seen).filter(isMember);
  return { named: shown.every((value) => told.map(String).includes(String(value))) ? told : [], shown };
}

/** Returns the longest list of words that a refusal names as allowed: `must be one of es, en, but is "x"`. */
function toldBy(seen: ApiResponse): string[] {
  const texts = [
    ...placesIn(seen.json).flatMap(({ value }) =>
      Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : [],
    ),
    ...placesIn(seen.json).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
  ];
  const lists = texts.map((text) => {
    const list =
      /(?:one of|allowed(?: values)?(?: are)?|(?:expected|must be)(?: one of)?)\s*:?\s*\[?\s*([^\].;}]{1,2000})/i.exec(
        text.replaceAll('\\"', "'"),
      )?.[1] ?? '';
    const words = list
      .replace(/,?\s+(?:but|got|found|received)\s.*/is, '')
      .split(/\s*,\s*|\s+or\s+|\s*\|\s*/)
      .map((word) => word.replace(/^(or\s+)?["'`]?|["'`]?\s*$/g, '').trim())
      .filter((word) => word !== '');
    return words.every((word) => /^[\w-]{1,40}$/.test(word)) ? words : [];
  });
  return lists.reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}
