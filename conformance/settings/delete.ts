import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { isBodiless, type Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import { findRecord, type Id, isId, isObject } from '../api/places.ts';
import { statusOf } from '../assert/assert.ts';
import { Blocked, OtherOption } from '../assert/failure.ts';
import { isMarked } from '../book/identity.ts';
import { describe, type Findings, found, oneLine, Unlearned, unknown } from '../learn/finding.ts';
import type { ProbeContext } from '../learn/probe-context.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../plan/rule.ts';
import { type Aftermath, deletion } from '../rules/questions/deletion.ts';
import { idsIn } from './sample-list.ts';
import { easiestModels, type Probe } from './setting.ts';

/** Deletes a record that it created, to learn the effect and the response (section 4, rule 6). */
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
    const answer = answerOf(api, id, seen);
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

/** Deletes under the profile: `delete.*`. */
export const deleteRules: readonly Assumption[] = [
  {
    title: 'Delete marks or removes the record, as set in the profile',
    requirement: 'deletion-not-shown',
    setting: 'delete.effect',
    needs: ['create', 'retrieve', 'delete'],
    cases: once((context) =>
      afterDelete(context, ({ record, listed }) => {
        const { profile } = context;
        const wanted = profile['delete.effect'];
        const shown = (record ?? listed) ? 'mark' : 'remove';
        // A marked record might be in no response.
        const isShown = wanted === 'remove' || profile['delete.readable'] || profile['delete.listed'];
        if (isShown && shown !== wanted)
          throw new OtherOption(
            shown === 'mark' ? 'the target marks a deleted record' : 'the target removes a deleted record',
            `delete.effect ${wanted}`,
            `delete.effect ${shown}`,
          );
      }),
    ),
  },
  {
    title: 'A record marked as deleted is available to a retrieve or not, as set in the profile',
    requirement: 'deletion-not-shown',
    setting: 'delete.readable',
    needs: ['create', 'retrieve', 'delete'],
    cases: onceWhere(leavesMark, (context) =>
      afterDelete(context, ({ record }) =>
        expectShown(context, 'delete.readable', record, 'retrieving a deleted record'),
      ),
    ),
  },
  {
    title: 'A list includes a record marked as deleted or not, as set in the profile',
    requirement: 'deletion-not-shown',
    setting: 'delete.listed',
    needs: ['create', 'retrieve', 'list', 'delete'],
    cases: onceWhere(leavesMark, (context) =>
      afterDelete(context, ({ listed }) =>
        expectShown(context, 'delete.listed', listed, 'a deleted record in the list'),
      ),
    ),
  },
  {
    title: 'Delete returns the record, nothing, or a flag, as set in the profile',
    requirement: 'operation-delete',
    setting: 'delete.answer',
    needs: ['create', 'delete'],
    cases: onceWhere(
      ({ profile }) => !isBodiless(profile['status.deleted']),
      (context) =>
        afterDelete(context, ({ answer, id }) => {
          const wanted = context.profile['delete.answer'];
          const shown = answerOf(context.api, id, answer) ?? 'something else';
          if (shown !== wanted)
            throw new OtherOption(
              'a delete returns another body',
              `delete.answer ${wanted}`,
              `${shown}: ${statusOf(answer)}`,
              answer.exchange,
            );
        }),
    ),
  },
];

/** Whether a delete leaves a record that has a mark. */
function leavesMark({ profile }: Contract, model: Model): boolean {
  return profile['delete.effect'] !== 'remove' && fieldOf(model, 'deleted') !== undefined;
}

function expectShown(
  { profile }: CaseContext,
  setting: 'delete.readable' | 'delete.listed',
  record: RecordValues | undefined,
  what: string,
): void {
  const isShown = record !== undefined;
  if (isShown !== profile[setting])
    throw new OtherOption(what, `${setting} ${profile[setting]}`, `${setting} ${isShown}`);
}

/** A refused delete is not judged. */
async function afterDelete(context: CaseContext, judge: (aftermath: Aftermath) => void): Promise<void> {
  const aftermath = await context.ask(deletion);
  if (!isAccepted(aftermath.answer))
    throw new Blocked(
      `the target does not accept a delete of ${withArticle(context.model.name)}: ${statusOf(aftermath.answer)}`,
    );
  judge(aftermath);
}

/** Returns the option of `delete.answer`. A record counts only at the place in `response.record`. */
function answerOf(api: Api, id: Id, seen: Answer): Profile['delete.answer'] | undefined {
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
