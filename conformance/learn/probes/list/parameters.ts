import { type Answer, isAccepted, isRefused } from '../../../api/answer.ts';
import { type Findings, found, Unlearned, unknown } from '../../finding.ts';
import type { Probe } from '../../probe.ts';
import type { ProbeContext } from '../../probe-context.ts';
import { describe } from '../quoting.ts';
import { idsIn, needOrder, type Sample, sampleList } from './sample-list.ts';

const SORTS = ['sort', 'sortBy', 'sort_by', 'orderBy', 'order_by', 'order', 'ordering'];

/** Whether lists can be sorted and filtered (section 4, rule 4). */
export const sortProbe: Probe = {
  settings: ['list.sort', 'list.sortParameter'],
  needs: 'reading',
  async run(context) {
    const sample = await sampleList(context, SORTS);
    await needOrder(context, sample);
    const { model, query } = sample;
    let { seen: last } = sample;
    for (const name of SORTS) {
      const falling = await context.api.list(model.name, { ...query, [name]: '-id' });
      last = falling;
      if (!isSorted(context, sample, falling, -1)) continue;
      const rising = await context.api.list(model.name, { ...query, [name]: 'id' });
      if (!isSorted(context, sample, rising, 1)) continue;
      const several = await context.api.list(model.name, { ...query, [name]: '-id,id' });
      const sort = isSorted(context, sample, several, -1)
        ? found('fields', several)
        : found('field', falling);
      return { 'list.sort': sort, 'list.sortParameter': found(name, falling) };
    }
    return { 'list.sort': found('none', last) };
  },
};

/** Whether a parameter named like a field, alone or with an operator, keeps the matching records (section 4, rule 4). */
export const filterProbe: Probe = {
  settings: ['list.filter', 'list.filterOperators'],
  needs: 'reading',
  async run(context) {
    const { model, ids, seen } = await sampleList(context);
    const wanted = String(ids[1]);
    const isAlone = (answer: Answer) => String(idsIn(context, answer)) === wanted;
    const told = (answer: Answer) => (isAccepted(answer) || isRefused(answer) ? answer : seen);
    const filtered = await context.api.list(model.name, { id: wanted });
    if (!isAlone(filtered)) return { 'list.filter': found('none', told(filtered)) };
    const several = await context.api.list(model.name, { 'id[in]': wanted });
    return {
      'list.filter': found('equality', filtered),
      'list.filterOperators': isAlone(several) ? found('brackets', several) : found('none', told(several)),
    };
  },
};

/**
 * What happens to a query parameter that no list has. One that is refused shows that the service minds (section 4,
 * rule 2); many that refuse unknown fields of a body ignore it.
 */
export const unknownParameterProbe: Probe = {
  settings: ['request.unknownFields'],
  needs: 'reading',
  async run({ api, survey }): Promise<Findings> {
    const [model] = (await survey.lists()).keys();
    if (!model) throw new Unlearned('no list succeeded');
    const seen = await api.list(model.name, { notAField: 'x' });
    if (isRefused(seen)) return { 'request.unknownFields': found('reject', seen) };
    const reason = `${seen.asked} with an unknown query parameter returned ${seen.status}, which says nothing about unknown body fields`;
    return { 'request.unknownFields': unknown(isAccepted(seen) ? reason : describe(seen)) };
  },
};

/** All records of the sample, sorted by id. */
function isSorted(context: ProbeContext, { ids }: Sample, seen: Answer, sign: 1 | -1): boolean {
  const shown = idsIn(context, seen);
  const follows = (index: number) => compareIds(shown[index], shown[index - 1]) * sign > 0;
  return shown.length === ids.length && shown.every((_, index) => index === 0 || follows(index));
}

function compareIds(one: unknown, other: unknown): number {
  return String(one).localeCompare(String(other), 'en', { numeric: true });
}
