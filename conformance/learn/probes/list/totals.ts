import type { Answer } from '../../../api/answer.ts';
import { Blocked } from '../../../assert/failure.ts';
import { type Findings, found, Unlearned } from '../../finding.ts';
import type { Probe } from '../../probe.ts';
import type { ProbeContext } from '../../probe-context.ts';
import { writeHeaderName } from '../access.ts';
import { numbersBeside, soundsLikeTotal } from './list-numbers.ts';
import { idsIn, sampleList } from './sample-list.ts';

/** A list with the number of records it showed. */
type Shown = { readonly seen: Answer; readonly shown: number; readonly numbers: ReadonlyMap<string, number> };

/** Where a list says how many records there are in all (section 4, rule 4). */
export const totalProbe: Probe = {
  settings: ['response.total', 'response.totalHeader', 'response.totalPointer'],
  needs: 'reading',
  async run(context) {
    const lists = [...(await context.survey.lists()).values()].map((seen) => readList(context, seen));
    const [whole, part] = await wholeAndPart(context);
    const all = [...lists, ...(whole ? [whole] : [])];
    const [first] = all;
    if (!first) throw new Unlearned('no list succeeded');
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
      if (all.every(({ shown }) => shown === 0)) throw new Unlearned('all lists are empty');
      return { 'response.total': found('none', first.seen) };
    }
    return describePlace(place, part?.seen ?? first.seen);
  },
};

/** Some services say how many records there are only where a part of them was asked for. */
function placeOnPages(whole: Shown | undefined, part: Shown | undefined): string | undefined {
  if (!whole || !part || part.shown >= whole.shown) return undefined;
  const places = [...part.numbers].filter(
    ([place, number]) => soundsLikeTotal(place) && number >= whole.shown,
  );
  return places[0]?.[0];
}

function describePlace(place: string, seen: Answer): Findings {
  if (place.startsWith('/'))
    return { 'response.total': found('pointer', seen), 'response.totalPointer': found(place, seen) };
  return {
    'response.total': found('header', seen),
    'response.totalHeader': found(writeHeaderName(place), seen),
  };
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
    if (error instanceof Blocked) return [];
    throw error;
  }
}

function readList(context: ProbeContext, seen: Answer): Shown {
  return { seen, shown: idsIn(context, seen).length, numbers: numbersBeside(seen) };
}
