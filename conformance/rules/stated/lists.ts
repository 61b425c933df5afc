import { isDeepStrictEqual } from 'node:util';
import { isDeleted } from '../../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { expectRecord, expectRecords, expectUpdated, expectValues } from '../../assert/assert.ts';
import { Failure } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type CaseContext, type ListedRule, once } from '../../plan/rule.ts';
import { listLinesById } from '../questions/lines-by-id.ts';
import { type ListedRecord, listedRecords } from '../questions/listed-records.ts';
import { listsSeen, onThreeListed, readLists } from '../questions/lists-seen.ts';
import { needCreate, nothingToSee } from '../questions/observation.ts';
import { plainList } from '../questions/shared.ts';
import { wholeUpdate } from '../questions/updates.ts';
import { expectSome } from '../support/plain-list.ts';
import { stableValues } from '../support/unchanged.ts';
import { expectIn, expectListed, readIn } from './expect-listed.ts';
import { expectParts } from './list-parts.ts';

/** Retrieve many shows the records of the model, each as a retrieve shows it (section 4). */
export const listRules: readonly ListedRule[] = [
  {
    id: 'list.shows-record',
    title: 'The list contains no record twice, and a created record with the values of a retrieve',
    requirement: 'operation-list',
    needs: ['list'],
    cases: ({ operations }) => [
      operations.includes('create') && operations.includes('retrieve')
        ? { operation: 'list', writes: true, run: expectCreatedListed }
        : { operation: 'list', run: expectNoneTwice },
    ],
  },
  {
    id: 'list.shows-update',
    title: 'The list contains an updated record once, with its new values',
    requirement: 'operation-list',
    needs: ['create', 'retrieve', 'list', 'update'],
    cases: once(
      async (context) => {
        await needCreate(context);
        const { answer, change, id } = await context.ask(wholeUpdate);
        expectUpdated(context, answer, change);
        await expectListed(context, [id], 'updated').catch((error) => {
          // It was updated before other records were made: a list that is late may have shown it at any moment since.
          if (!(error instanceof Failure)) throw error;
          return expectIn(context, undefined, [id], 'updated');
        });
        await listLinesById(context);
      },
      { operation: 'list' },
    ),
  },
  {
    id: 'list.agrees',
    title: 'Retrieve returns each record of the list with the same values',
    requirement: 'operation-list',
    needs: ['retrieve', 'list'],
    cases: once(
      async (context) => {
        const pairs = await context.ask(listedRecords);
        const shown = await readShown(context);
        if (shown.size === 0) {
          const plain = await context.ask(plainList);
          if (isAccepted(plain)) expectRecords(context, plain);
          throw await nothingToSee(context);
        }
        for (const pair of pairs) await expectAgreement(context, pair, shown);
      },
      { operation: 'list' },
    ),
  },
];

function expectCreatedListed(context: CaseContext): Promise<void> {
  return onThreeListed(context, async ({ newer, older }) => {
    await expectListed(context, [older.id, newer.id], 'created');
    await expectParts(context);
  });
}

/** No response contains a record twice. Over pages without an order, a record can repeat. */
async function expectNoneTwice(context: CaseContext): Promise<void> {
  const { paged, plain } = await context.ask(listsSeen);
  if (!paged || paged.records.length === 0) throw await nothingToSee(context);
  for (const answer of [paged.first, plain?.answer]) {
    const ids = (answer && context.api.recordsIn(answer))?.map(({ id }) => id) ?? [];
    const twice = ids.find((id, index) => id !== undefined && ids.indexOf(id) !== index);
    if (twice !== undefined)
      throw new Failure(
        `the list contains the record ${show(twice)} more than once`,
        'each record once',
        `${ids.filter((id) => id === twice).length} times`,
        answer?.exchange,
      );
  }
}

/** A record as one list shows it. */
type Shown = { readonly record: RecordValues; readonly list: Answer };

/** The records in the pages of the list, and in the list without a query, by their ids. */
async function readShown(context: CaseContext, again = false): Promise<Map<number, Shown[]>> {
  const shown = new Map<number, Shown[]>();
  const note = (records: readonly RecordValues[], list: Answer) => {
    for (const record of records)
      if (typeof record.id === 'number' && Number.isInteger(record.id))
        shown.set(record.id, [...(shown.get(record.id) ?? []), { record, list }]);
  };
  const { paged, plain } = again ? await readLists(context) : await context.ask(listsSeen);
  if (paged) note(paged.records, paged.first);
  if (!paged || !plain) return shown;
  // Others may have deleted all between the two answers; they hardly do so twice.
  if (plain.records.length === 0 && !again) return readShown(context, true);
  expectSome(plain, paged);
  note(plain.records, plain.answer);
  return shown;
}

const MOST_LOOKS = 3;

async function expectAgreement(
  context: CaseContext,
  { listed: { id }, retrieved }: ListedRecord,
  shown: ReadonlyMap<unknown, readonly Shown[]>,
): Promise<void> {
  try {
    compare(context, retrieved, shown.get(id) ?? []);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Others may have changed or deleted it between the two answers: it has to be the same on both sides of the list.
    const shownBy = (answer: Answer) => [answer.status, context.api.recordIn(answer)];
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const before = await context.api.retrieve(context.model.name, id);
      const again = (await readShown(context, true)).get(Number(id)) ?? [];
      const after = await context.api.retrieve(context.model.name, id);
      if (isDeepStrictEqual(shownBy(before), shownBy(after))) return compare(context, after, again);
    }
  }
}

function compare(context: CaseContext, answer: Answer, shown: readonly Shown[]): void {
  for (const { list, record } of shown) {
    const values = readIn(context, record);
    // What is marked as deleted may be listed without being readable (delete.readable).
    if (isDeleted(context.model, values) && !isAccepted(answer)) continue;
    const retrieved = readIn(context, expectRecord(context, answer, 'a retrieve of a record in the list'));
    expectValues(context, stableValues(context, retrieved), values, 'a record in the list', list);
  }
}
