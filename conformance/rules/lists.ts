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
import type { Listing } from '../listing.ts';
import { Blocked, Failure, once, type Rule, Skip } from '../rule.ts';
import { makeThree, onShared } from './shared.ts';
import { steady } from './steady.ts';

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
        const listing = await context.listing();
        const listed = (listing?.records ?? []).filter(({ id }) => Number.isInteger(id));
        if (!listing || listed.length === 0) throw await nothingToSee(context);
        for (const record of someOf(listed)) await expectAgreement(context, record, listing.first);
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

/** The oldest and the newest, and one between them. */
function someOf<T>(items: readonly T[]): readonly T[] {
  return [...new Set([...items.slice(0, 2), items[items.length >> 1], ...items.slice(-3)])].filter(
    (item) => item !== undefined,
  );
}

async function expectAgreement(context: CaseContext, listed: RecordValues, list: Answer): Promise<void> {
  try {
    await compare(context, listed, list);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Others may have changed or deleted it between the two answers; they hardly do so twice.
    const relisted = await context.listing();
    const again = relisted?.records.find(({ id }) => id === listed.id);
    if (relisted && again) await compare(context, again, relisted.first);
  }
}

async function compare(context: CaseContext, listed: RecordValues, list: Answer): Promise<void> {
  const values = readIn(context, listed);
  const answer: Answer = await context.api.retrieve(context.model.name, listed.id);
  // What is marked as deleted may be listed without being readable (delete.readable).
  if (values.deleted === true && !isAccepted(answer)) return;
  const retrieved = readIn(context, expectRecord(context, answer, 'a retrieve of a record in the list'));
  expectValues(context, steady(context, retrieved), values, 'a record in the list', list);
}

function readIn(context: CaseContext, wire: RecordValues): RecordValues {
  return context.check.read(context.model, wire);
}
