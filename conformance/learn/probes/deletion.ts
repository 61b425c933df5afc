import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../../spec/catalogue/roles.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { fetchList } from '../../api/listing.ts';
import { findRecord, type Id, isId, isObject } from '../../api/places.ts';
import { isMarked } from '../../book/identity.ts';
import { type Findings, found, oneLine, Unlearned, unknown } from '../finding.ts';
import { easiestModels, type Probe } from '../probe.ts';
import type { ProbeContext } from '../probe-context.ts';
import { idsIn } from './list/sample-list.ts';
import { describe } from './quoting.ts';

/** What a delete does and answers (section 4, rule 6), on a record that was made for it. */
export const deletionProbe: Probe = {
  settings: ['status.deleted', 'delete.answer', 'delete.effect', 'delete.readable', 'delete.listed'],
  needs: 'writing',
  async run(context) {
    const [marking] = easiestModels(context, (model) => fieldOf(model, 'deleted') !== undefined);
    // Without the field, the status and the body of a delete show all the same.
    const model = marking ?? easiestModels(context)[0];
    if (!model) throw new Unlearned('no model has a create, a retrieve, a list, and a delete');
    const { api, records } = await context.open(model);
    const { id } = await records.make();
    const seen = await records.delete(id);
    if (!isAccepted(seen)) throw new Unlearned(describe(seen));
    records.forget(id);
    const after = await api.retrieve(model.name, id);
    const record = isAccepted(after) ? findRecord(model, after.json)?.value : undefined;
    const readable = record !== undefined;
    const listed = await findInList(context, model, id);
    const answer = answerOf(context, id, seen);
    const answers: Findings = {
      'status.deleted': found(seen.status, seen),
      'delete.answer': answer
        ? found(answer, seen)
        : unknown(`a delete has another response: ${oneLine(seen.exchange.response.body, 100)}`),
    };
    // A record that is neither readable nor listed is as good as removed.
    if (!readable && !listed.shown) return { ...answers, 'delete.effect': found('remove', after) };
    if (record && !isMarked(model, record)) {
      const unmoved = unknown(`a delete returned ${seen.status} but did not change the record`);
      return { ...answers, 'delete.effect': unmoved };
    }
    return {
      ...answers,
      'delete.effect': found('mark', readable ? after : (listed.seen ?? after)),
      'delete.readable': found(readable, after),
      'delete.listed': listed.seen ? found(listed.shown, listed.seen) : unknown("the list can't be read"),
    };
  },
};

/** Records that are marked as deleted and shown all the same. */
export const seenDeletionProbe: Probe = {
  settings: ['delete.effect', 'delete.readable', 'delete.listed'],
  needs: 'reading',
  async run({ api, readOnlyBecause, survey }): Promise<Findings> {
    const marked = (await survey.records()).find(
      ({ model, record, from }) =>
        from === 'list' &&
        isMarked(model, record) &&
        model.operations.includes('retrieve') &&
        isId(record.id),
    );
    // Where records may be deleted, the delete that was tried has told more.
    if (!marked && readOnlyBecause === undefined) return {};
    if (!marked) throw new Unlearned('no list contains a record that is marked as deleted');
    const after = await api.retrieve(marked.model.name, marked.record.id as Id);
    const readable = isAccepted(after) && findRecord(marked.model, after.json) !== undefined;
    return {
      'delete.effect': found('mark', marked.answer),
      'delete.listed': found(true, marked.answer),
      'delete.readable': found(readable, after),
    };
  },
};

/** Returns the option of `delete.answer`. A record counts only at the place where `check` looks for it. */
function answerOf({ api }: ProbeContext, id: Id, seen: Answer): 'record' | 'none' | 'flag' | undefined {
  if (seen.body.trim() === '') return 'none';
  if (String(api.recordIn(seen)?.id) === String(id)) return 'record';
  return isObject(seen.json) && [true, 1].includes(seen.json.deleted as true | 1) ? 'flag' : undefined;
}

/** Looks for a record in the list of its model; by a filter where there is one, as the list may be long. */
async function findInList(
  context: ProbeContext,
  model: Model,
  id: Id,
): Promise<{ shown: boolean; seen?: Answer }> {
  const { api, isFound, profile } = context;
  const query = isFound('list.filter') && profile['list.filter'] === 'equality' ? { id: String(id) } : {};
  const seen = await api.list(model.name, query);
  if (!isAccepted(seen) || !api.recordsIn(seen)) return { shown: false };
  if (idsIn(context, seen).some((shown) => String(shown) === String(id))) return { shown: true, seen };
  if (Object.keys(query).length > 0 || profile['list.paging'] === 'none') return { shown: false, seen };
  const all = (await fetchList(api, model.name))?.records;
  return { shown: all?.some((record) => String(record.id) === String(id)) ?? false, seen };
}
