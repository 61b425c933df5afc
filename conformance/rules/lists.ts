import type { RecordValues } from '../../spec/record-codec.ts';
import { type Answer, isAccepted } from '../api.ts';
import type { CaseContext } from '../context.ts';
import {
  expectRecord,
  expectRecords,
  expectUpdated,
  expectValues,
  needCreate,
  nothingToSee,
} from '../expect.ts';
import { type ListedRecords, retrieveListed } from '../listed-records.ts';
import type { Listing } from '../listing.ts';
import { Blocked, Failure, once, type Rule, Skip } from '../rule.ts';
import { makeThree, onShared } from './shared.ts';
import { steady } from './steady.ts';

type Pair = ListedRecords['pairs'][number];

/** Retrieve many shows the records of the model, each as a retrieve shows it (section 4). */
export const listRules: readonly Rule[] = [
  {
    id: 'list.shows-record',
    title: 'A created record stands in the list once, as a retrieve shows it',
    requirement: 'operation-list',
    level: 'stated',
    needs: ['create', 'retrieve', 'list'],
    cases: once(
      (context) =>
        onShared(context, makeThree, ({ newer, older }) =>
          expectListed(context, [older.id, newer.id], 'created'),
        ),
      { operation: 'list' },
    ),
  },
  {
    id: 'list.shows-update',
    title: 'An updated record stands in the list once, with its new values',
    requirement: 'operation-list',
    level: 'stated',
    needs: ['create', 'retrieve', 'list', 'update'],
    cases: once(
      async (context) => {
        await needCreate(context);
        const { answer, change, id } = await context.wholeUpdate();
        expectUpdated(context, answer, change);
        await expectListed(context, [id], 'updated');
      },
      { operation: 'list' },
    ),
  },
  {
    id: 'list.agrees',
    title: 'A record that stands in the list can be retrieved, and looks the same',
    requirement: 'operation-list',
    level: 'stated',
    needs: ['retrieve', 'list'],
    cases: once(
      async (context) => {
        const { list, pairs } = await context.ask(retrieveListed);
        if (!list || pairs.length === 0) throw await nothingToSee(context);
        for (const pair of pairs) await expectAgreement(context, pair, list);
      },
      { operation: 'list' },
    ),
  },
];

/** The list over its pages; throws Blocked where it is the profile that keeps the suite from reading it. */
async function needListing(context: CaseContext): Promise<Listing> {
  const listing = await context.listing();
  if (listing) return listing;
  expectRecords(context, await context.api.list(context.model.name));
  throw new Blocked(
    'a list is answered, but none asked for in pages: list.paging differs, or the names of its parameters',
  );
}

/** Each record stands in the list once, as a retrieve shows it. */
async function expectListed(context: CaseContext, ids: readonly number[], what: string): Promise<void> {
  const wanted: [number, RecordValues][] = [];
  for (const id of ids) wanted.push([id, steady(context, await context.readValues(id))]);
  const { complete, first, records } = await needListing(context);
  for (const [id, retrieved] of wanted) {
    const found = records.filter((record) => record.id === id);
    const [listed] = found;
    if (!listed && !complete)
      throw new Skip(
        `the list is too long to be looked through, or can't be: id ${id} stands in no page seen`,
      );
    if (!listed || found.length > 1)
      throw new Failure(
        `a record that was ${what} does not stand in the list once`,
        `id ${id} once`,
        `${found.length} times`,
        first.exchange,
      );
    expectValues(context, retrieved, readIn(context, listed), `the ${what} record in the list`, first);
  }
}

async function expectAgreement(
  context: CaseContext,
  { listed, retrieved }: Pair,
  list: Answer,
): Promise<void> {
  try {
    compare(context, listed, retrieved, list);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Others may have changed or deleted it between the two answers; they hardly do so twice.
    const relisted = await context.listing();
    const again = relisted?.records.find(({ id }) => id === listed.id);
    if (relisted && again)
      compare(context, again, await context.api.retrieve(context.model.name, again.id), relisted.first);
  }
}

function compare(context: CaseContext, listed: RecordValues, answer: Answer, list: Answer): void {
  const values = readIn(context, listed);
  // What is marked as deleted may be listed without being readable (delete.readable).
  if (values.deleted === true && !isAccepted(answer)) return;
  const retrieved = readIn(context, expectRecord(context, answer, 'a retrieve of a record in the list'));
  expectValues(context, steady(context, retrieved), values, 'a record in the list', list);
}

function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}
