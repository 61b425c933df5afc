import { isIdField } from '../../../spec/catalogue/roles.ts';
import { pointerFor } from '../../../spec/wire/model-place.ts';
import { isAccepted } from '../../api/answer.ts';
import { fetchList, totalOf } from '../../api/listing.ts';
import { findRecord, listsIn } from '../../api/places.ts';
import { expectRecord, expectRecords } from '../../assert/assert.ts';
import { Blocked, Failure, OtherOption } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type Assumption, type CaseContext, eachField, once } from '../../plan/rule.ts';
import { type SeenRecord, seenIn } from '../../records/ids.ts';
import { pagedList } from '../questions/lists-seen.ts';
import { minimal, plainList } from '../questions/shared.ts';
import { needCreate, nothingToSee, observation } from '../questions/updates.ts';

/** Envelopes, totals and unset fields under the profile: `response.*`. */
export const profileResponseRules: readonly Assumption[] = [
  {
    title: 'A retrieve contains the record at the place set in the profile',
    requirement: 'encoding-not-shown',
    setting: 'response.record',
    needs: ['retrieve'],
    cases: once(async (context) => {
      const { retrieved } = await context.ask(observation);
      if (!retrieved) throw await nothingToSee(context);
      if (!isAccepted(retrieved)) throw new Blocked(`no ${context.model.name} could be retrieved`);
      const place = pointerFor(context.profile['response.record'], context.model.name);
      const elsewhere = findRecord(context.model, retrieved.json)?.pointer;
      if (!context.api.recordIn(retrieved) && elsewhere !== undefined)
        throw new OtherOption(
          'the target uses another response.record',
          `response.record "${place}"`,
          `a record at "${elsewhere}"`,
          retrieved.exchange,
        );
      if (expectRecord(context, retrieved, 'a retrieve').id === undefined)
        throw new Failure(
          'the value at that place is not a record',
          'an object with id',
          show(context.api.recordIn(retrieved)),
          retrieved.exchange,
        );
    }),
  },
  {
    title: 'A list contains the records at the place set in the profile',
    requirement: 'encoding-not-shown',
    setting: 'response.records',
    needs: ['list'],
    cases: once(async ({ api, ask, model, profile }) => {
      const answer = await ask(plainList);
      if (!isAccepted(answer) || api.recordsIn(answer)) return;
      const found = show(answer.json);
      const expected = `a list at "${pointerFor(profile['response.records'], model.name)}"`;
      const Kind = listsIn(answer.json).length > 0 ? OtherOption : Failure;
      throw new Kind('the list contains no records at that place', expected, found);
    }),
  },
  {
    title: 'A list contains the total number of records',
    requirement: 'query-not-shown',
    setting: 'response.total',
    needs: ['list'],
    cases: (model, { profile }) =>
      profile['response.total'] === 'none'
        ? once(expectNoTotal)()
        : once(async (context) => {
            const listing = await pagedList(context);
            if (!listing) {
              const plain = await context.ask(plainList);
              if (isAccepted(plain)) expectRecords(context, plain);
              throw new Blocked(`${model.name} can't be listed`, plain.exchange, 'list.paging');
            }
            const total = totalOf(listing.first, profile);
            const place =
              profile['response.total'] === 'header'
                ? profile['response.totalHeader']
                : profile['response.totalPointer'];
            if (total === undefined)
              throw new OtherOption(
                'a list returns no total',
                `a number in ${place}`,
                'none',
                listing.first.exchange,
              );
            const isWhole = listing.complete || profile['list.paging'] === 'none';
            if (isWhole && total !== listing.records.length)
              throw new Failure(
                'the total is wrong',
                `${listing.records.length} in ${place}`,
                String(total),
                listing.first.exchange,
              );
            await expectTotalOfAll(context, listing.records.length, place);
          })(),
  },
  {
    title: 'A field without a value appears as set in the profile',
    requirement: 'encoding-not-shown',
    setting: 'response.unset',
    needs: ['retrieve'],
    cases: eachField(
      (field) => !field.required && field.lines === undefined && !isIdField(field),
      async (context, field) => {
        const wanted = context.profile['response.unset'];
        const seen = await recordsWithUnset(context);
        if (seen.length === 0) throw await nothingToSee(context);
        for (const { answer, from, record } of seen) {
          const value = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
          // A service may give an optional field a value of its own.
          if (value !== undefined && value !== null) continue;
          if ((value === undefined) !== (wanted === 'absent'))
            throw new OtherOption(
              `${field.name} without a value has another form in the response to ${from}`,
              wanted,
              value === null ? 'null' : 'absent',
              answer.exchange,
            );
        }
      },
    ),
  },
];

/** The number beside a page of one is that of all records, and not that of the page. */
async function expectTotalOfAll(
  { api, model, profile }: CaseContext,
  listed: number,
  place: string,
): Promise<void> {
  if (listed < 2 || profile['list.paging'] === 'none' || profile.unknown['list.paging']) return;
  const page = await api.list(model.name, { [profile['list.sizeParameter']]: '1' });
  if (!isAccepted(page) || api.recordsIn(page)?.length !== 1 || totalOf(page, profile) !== 1) return;
  // Somebody may have deleted the others.
  const again = await fetchList(api, model.name);
  if ((again?.records.length ?? 0) < 2) return;
  const expected = `${again?.records.length} in ${place}`;
  throw new Failure('the total counts only the page', expected, '1', page.exchange);
}

/** Under `response.total: none` neither of the usual places says how many records there are. */
async function expectNoTotal(context: CaseContext): Promise<void> {
  const { ask, model, profile } = context;
  const listing = await pagedList(context);
  const plain = listing ? undefined : await ask(plainList);
  if (plain && !isAccepted(plain))
    throw new Blocked(`${model.name} can't be listed`, plain.exchange, 'list.paging');
  for (const place of ['header', 'pointer'] as const) {
    const total = listing && totalOf(listing.first, { ...profile, 'response.total': place });
    if (listing?.complete && total === listing.records.length)
      throw new OtherOption(
        'a list returns a total',
        'response.total none',
        `response.total ${place}: ${total}`,
        listing.first.exchange,
      );
  }
}

/** All answers seen, and one with nothing but required values where such a record can be made. */
async function recordsWithUnset(context: CaseContext): Promise<readonly SeenRecord[]> {
  const { records } = await context.ask(observation);
  if (context.readOnly || !context.model.operations.includes('create')) return records;
  await needCreate(context);
  return [...seenIn(context, 'retrieve', (await context.ask(minimal)).retrieved), ...records];
}
