import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isText } from '../../spec/types/types.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import { blocked, skip } from '../assert/ending.ts';
import { expectAccepted, expectRefused } from '../cases/assert.ts';
import { type Assumption, row, where } from '../cases/rule.ts';
import { writableFields } from '../records/values/values.ts';
import { createWith } from '../rules/shared.ts';
import { needCreate } from '../rules/updates.ts';
import { describe, type Findings, found, oneLine, unknown } from './finding.ts';
import { type ProbeContext, RATE_HEADERS } from './probe-context.ts';
import { easiestModels, type Probe, textFields } from './setting.ts';

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
    let last: Answer | undefined;
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
): Promise<Answer> {
  const { records, samples } = await open(model);
  const values = { ...samples.values('required', [field]), [field.name]: 'x'.repeat(length) };
  return records.create(values, { asTold: true });
}
