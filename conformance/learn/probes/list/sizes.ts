import type { Model } from '../../../../spec/catalogue/catalogue.ts';
import { type Answer, isAccepted } from '../../../api/answer.ts';
import { placeInList, totalOf } from '../../../api/listing.ts';
import { type Finding, type Findings, found, Unlearned, unknown } from '../../finding.ts';
import type { Probe } from '../../probe.ts';
import type { ProbeContext } from '../../probe-context.ts';
import { describe } from '../quoting.ts';
import { idsIn, sampleList } from './sample-list.ts';

/** More than any list shows; a service that refuses so many is asked for fewer. */
const VERY_MANY = 100_000;
const FEWER = [10_000, 5000, 1000, 500, 250, 200, 100, 50, 25, 20, 10];

/** How many records a list shows when no number is asked for, and at most (section 8). */
export const sizesProbe: Probe = {
  settings: ['list.defaultSize', 'list.maxSize'],
  needs: 'reading',
  async run(context) {
    const { api, isFound, profile } = context;
    if (!isFound('list.sizeParameter')) throw new Unlearned('the parameter for the page size is unknown');
    const model = await longestList(context);
    const sized = (size: number, more: Record<string, string> = {}) =>
      api.list(model.name, { [profile['list.sizeParameter']]: String(size), ...more });
    // The short list before and after the long one: records may come and go meanwhile.
    const before = await api.list(model.name);
    const many = await sized(VERY_MANY);
    if (!isAccepted(many)) return { ...(await mostAccepted(many, sized)) };
    const ids = idsIn(context, many);
    const most = ids.length;
    const whole = Math.max(knownTotal(context, many) ?? 0, most);
    const rest = whole > most || (most > 0 && (await hasMore(context, sized, most, ids)));
    const short = `the longest list seen, of ${model.name}, has ${whole} records`;
    const after = await api.list(model.name);
    const shown = idsIn(context, after).length;
    const isSteady = shown === idsIn(context, before).length;
    const isCut = isSteady && shown > 0 && (most > shown || rest);
    return {
      'list.defaultSize': isCut
        ? found(Math.min(shown, most), after)
        : unknown(isSteady ? `${short}, all shown at once` : `the list of ${model.name} changes meanwhile`),
      'list.maxSize':
        rest && most > 0 ? found(most, many) : unknown(`${short}, all shown when ${VERY_MANY} are asked for`),
    };
  },
};

/** The list with the most records; one to try parameters on where all show next to none. */
async function longestList(context: ProbeContext): Promise<Model> {
  const [longest] = [...(await context.survey.lists())]
    .map(([model, seen]) => ({
      model,
      length: Math.max(idsIn(context, seen).length, knownTotal(context, seen) ?? 0),
    }))
    .sort((one, other) => other.length - one.length);
  return longest && longest.length >= 3 ? longest.model : (await sampleList(context)).model;
}

type Sized = (size: number, more?: Record<string, string>) => Promise<Answer>;

function knownTotal({ isFound, profile }: ProbeContext, seen: Answer): number | undefined {
  return isFound('response.total') ? totalOf(seen, profile) : undefined;
}

/** Whether the next page holds records that the first one did not show. */
async function hasMore(
  context: ProbeContext,
  sized: Sized,
  most: number,
  ids: readonly unknown[],
): Promise<boolean> {
  const { api, isFound, profile } = context;
  const paging = isFound('list.paging') ? profile['list.paging'] : 'none';
  if (paging === 'none') return false;
  const next = await sized(VERY_MANY, placeInList(profile, 1, most));
  const records = isAccepted(next) ? (api.recordsIn(next) ?? []) : [];
  const known = new Set(ids);
  if (records.every(({ id }) => known.has(id))) return false;
  // One that came only now would stand on the first page too, if that had room.
  return idsIn(context, await sized(VERY_MANY)).length === most;
}

async function mostAccepted(refusal: Answer, sized: Sized): Promise<Findings> {
  let last = refusal;
  for (const size of FEWER) {
    const seen = await sized(size);
    if (!isAccepted(seen)) {
      last = seen;
      continue;
    }
    return { 'list.maxSize': found(size, seen), 'list.defaultSize': NO_DEFAULT };
  }
  return { 'list.maxSize': unknown(describe(last)), 'list.defaultSize': NO_DEFAULT };
}

const NO_DEFAULT: Finding = unknown('no list holds more records than it shows');
