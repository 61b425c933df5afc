import { type Profile, placeIn, under } from '../../spec/profile/profile.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import { fetchList, totalOf } from '../api/listing.ts';
import { blocked, failure, isEnded, skip } from '../assert/ending.ts';
import { expectRecords } from '../cases/assert.ts';
import type { CaseContext } from '../cases/rule.ts';
import { observation, plainList } from '../rules/updates.ts';
import { writeHeaderName } from './access.ts';
import { type Findings, found } from './finding.ts';
import { type Observation, seen } from './observation.ts';
import type { ProbeContext } from './probe-context.ts';
import { idsIn, numbersBeside, pageOfOne, sampleList, soundsLikeTotal } from './sample-list.ts';
import type { Probe } from './setting.ts';

/** Where one model might have the total, unlike the others. */
const USUAL = ['header X-Total-Count', '/total'] as const;

/** A list with the number of records it showed. */
type Shown = { readonly seen: Answer; readonly shown: number; readonly numbers: ReadonlyMap<string, number> };

/** Where a list says how many records there are in all (section 4, rule 4). */
export const totalProbe: Probe = {
  settings: ['response.total'],
  needs: 'reading',
  async run(context) {
    const lists = [...(await context.survey.lists()).values()].map((seen) => readList(context, seen));
    const [whole, part] = await wholeAndPart(context);
    const all = [...lists, ...(whole ? [whole] : [])];
    const [first] = all;
    if (!first) throw blocked('no list succeeded');
    const places = [...first.numbers.keys()].filter((place) =>
      all.every(({ numbers, shown }) => (numbers.get(place) ?? -1) >= shown),
    );
    // On a part of a list the total stays what it was, unlike the number of records shown.
    const unchanged = places.filter(
      (place) => !part || part.numbers.get(place) === whole?.numbers.get(place),
    );
    const varied = unchanged.filter(
      (place) => soundsLikeTotal(place) || new Set(all.map(({ numbers }) => numbers.get(place))).size > 2,
    );
    const place = varied.find((name) => /total/i.test(name)) ?? varied[0] ?? placeOnPages(whole, part);
    if (place === undefined) {
      if (all.every(({ shown }) => shown === 0)) throw blocked('all lists are empty');
      return { 'response.total': found('none', first.seen) };
    }
    return describePlace(place, part?.seen ?? first.seen);
  },
};

/** The number next to the records of a list, at either place. */
export const totalObservation: Observation = {
  name: 'response.total',
  title: 'A list contains the total number of records',
  requirement: 'query-not-shown',
  needs: ['list'],
  async observe(context) {
    const { model, profile } = context;
    const { listing } = await context.ask(observation);
    if (!listing) {
      const plain = await context.ask(plainList);
      if (isAccepted(plain)) expectRecords(context, plain);
      throw blocked(`${model.name} can't be listed`, plain.exchange, { differs: 'list.paging' });
    }
    const { complete, first, records } = listing;
    const own = profile['response.total'];
    const totalAt = (place: Profile['response.total']) =>
      totalOf(first, under(profile, 'response.total', place));
    const total = totalAt(own);
    if (total === undefined) {
      const other = USUAL.find((place) => complete && totalAt(place) === records.length);
      return seen(other ?? 'none', first, other ? `a total of ${records.length}` : 'no total');
    }
    const isWhole = complete || profile['list.paging'] === 'none';
    if (isWhole && total !== records.length) {
      const again = await context.records.listing();
      if (again && totalOf(again.first, profile) !== total)
        throw skip('other clients change the list while its pages are read');
      throw failure(
        'the total is wrong',
        `${records.length} in ${placeOf(profile)}`,
        String(total),
        first.exchange,
      );
    }
    await expectTotalOfAll(context, records.length, placeOf(profile));
    return seen(own, first, `a total of ${total}`);
  },
};

function placeOf(profile: Profile): string {
  return placeIn(profile['response.total'])?.name ?? '';
}

/** Some services say how many records there are only where a part of them was asked for. */
function placeOnPages(whole: Shown | undefined, part: Shown | undefined): string | undefined {
  if (!whole || !part || part.shown >= whole.shown) return undefined;
  const places = [...part.numbers].filter(
    ([place, number]) => soundsLikeTotal(place) && number >= whole.shown,
  );
  return places[0]?.[0];
}

function describePlace(place: string, seen: Answer): Findings {
  const isInBody = place.startsWith('/');
  return { 'response.total': found(isInBody ? place : `header ${writeHeaderName(place)}`, seen) };
}

/** A list of three records or more, and one record of it; neither where there are too few, or no way to part it. */
async function wholeAndPart(context: ProbeContext): Promise<[Shown?, Shown?]> {
  const { api, isFound, profile } = context;
  const size = isFound('list.sizeParameter') ? profile['list.sizeParameter'] : undefined;
  try {
    const { model, seen } = await sampleList(context, size === undefined ? [] : [size]);
    if (size === undefined) return [readList(context, seen)];
    return [readList(context, seen), readList(context, await api.list(model.name, { [size]: '1' }))];
  } catch (error) {
    if (isEnded(error, 'blocked')) return [];
    throw error;
  }
}

function readList(context: ProbeContext, seen: Answer): Shown {
  return { seen, shown: idsIn(context, seen).length, numbers: numbersBeside(seen) };
}

/** Throws `failure` if the total next to a page of one record counts only the page. */
async function expectTotalOfAll(context: CaseContext, listed: number, place: string): Promise<void> {
  const { api, model, profile } = context;
  if (listed < 2 || profile['list.paging'] === 'none' || profile.unknown['list.paging']) return;
  const { ids, seen: page } = await context.ask(pageOfOne);
  if (ids.length !== 1 || totalOf(page, profile) !== 1) return;
  // Somebody may have deleted the others.
  const again = await fetchList(api, model.name);
  if ((again?.records.length ?? 0) < 2) return;
  const expected = `${again?.records.length} in ${place}`;
  throw failure('the total counts only the page', expected, '1', page.exchange);
}
