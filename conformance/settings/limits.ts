import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import { type ApiResponse, isAccepted, isRefused } from '../api/answer.ts';
import { blocked, skip } from '../assert/ending.ts';
import { expectAccepted, expectRefused } from '../cases/assert.ts';
import { type Assumption, row, where } from '../cases/rule.ts';
import { writableFields } from '../records/values/values.ts';
import { createWith } from '../rules/shared.ts';
import { needCreate } from '../rules/updates.ts';
import { describe, type Findings, found, tryEach } from './observation.ts';
import { easiestModels, type Probe, type ProbeContext, RATE_HEADERS, textFields } from './probe.ts';

/** Lengths that are tried one after the other until one is refused. */
const LENGTHS: readonly [number, ...number[]] = [256, 1000, 65_536];

/**
 * Finds the maximum length of a text (section 8): the longest one that the service accepts before it refuses one. It is
 * unknown if types of texts differ, because a profile has one limit for all.
 */
export const textLimitProbe: Probe = {
  settings: ['limits.text'],
  writes: true,
  async run(context): Promise<Findings> {
    const [place, ...others] = textPlaces(context);
    if (!place) throw blocked('no model with a create has a string field');
    const tryLength = (length: number) => createText(context, place, length);
    const [first, ...longer] = LENGTHS;
    let [low, high, last] = [0, first, await tryLength(first)];
    for (const length of longer)
      if (isAccepted(last)) [low, high, last] = [high, length, await tryLength(length)];
    if (isAccepted(last)) return { 'limits.text': found('none', last) };
    if (!isRefused(last)) throw blocked(describe(last));
    // As a rule a column ends just below a power of two.
    for (let middle = high - 1; high - low > 1; middle = (low + high) >> 1) {
      const seen = await tryLength(middle);
      if (isAccepted(seen)) low = middle;
      else [high, last] = [middle, seen];
    }
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
      const values = ['x'.repeat(longest)];
      return writableFields(model)
        .filter(isText)
        .map((field) => ({ field, values }));
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

type FieldPlace = { readonly model: Model; readonly field: Field };

/** A field of each type of texts, the easiest to make first. */
function textPlaces(context: ProbeContext): FieldPlace[] {
  const places = easiestModels(context).flatMap((model) =>
    textFields(model).map((field) => ({ model, field })),
  );
  return [...Map.groupBy(places, ({ field }) => field.type).values()].flatMap((group) => group.slice(0, 1));
}

async function createText(
  { open }: ProbeContext,
  { field, model }: FieldPlace,
  length: number,
): Promise<ApiResponse> {
  const { records, samples } = await open(model);
  const values = { ...samples.values('required', [field]), [field.name]: 'x'.repeat(length) };
  return records.create(values, { asTold: true });
}

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
    const reason = await tryEach(unlistedFields(context), async ({ field, model }) => {
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

/** Returns the fields without a value list, each in its model if records of it can be created. */
function unlistedFields(context: ProbeContext): FieldPlace[] {
  return easiestModels(context).flatMap((model) =>
    writableFields(model)
      .filter(({ choices, type }) => type === 'fkModel' || (type === 'select' && choices === undefined))
      .map((field) => ({ model, field })),
  );
}

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
