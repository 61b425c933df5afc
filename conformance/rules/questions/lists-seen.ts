import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Listing } from '../../api/listing.ts';
import type { Id } from '../../api/places.ts';
import { Blocked, Failure, Skip } from '../../assert/failure.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import { type PlainList, readPlainly } from '../support/plain-list.ts';
import { stableValues } from '../support/unchanged.ts';
import { onShared, type Three, three } from './shared.ts';
import { wholeUpdate } from './updates.ts';

/** A list over its pages, and without a query where that is another one. */
export type Lists = { readonly paged: Listing | undefined; readonly plain: PlainList | undefined };

/** The lists once records of its own were made and updated, with what a retrieve showed of those before. */
export type ListsSeen = Lists & { readonly own: ReadonlyMap<Id, RecordValues> };

export const listsSeen: Question<ListsSeen> = {
  name: 'lists',
  againAfter5xx: true,
  async ask(context) {
    const own = await readOwn(context).catch((error) => {
      if (!(error instanceof Blocked || error instanceof Skip)) throw error;
      return new Map<Id, RecordValues>();
    });
    return { own, ...(await readLists(context)) };
  },
};

/** Without a record in its pages nothing is compared with the plain list. */
export async function readLists(context: CaseContext): Promise<Lists> {
  const paged = await context.records.listing();
  return { paged, plain: paged && paged.records.length > 0 ? await readPlainly(context) : undefined };
}

async function readOwn(context: CaseContext): Promise<Map<Id, RecordValues>> {
  const { ask, model, readOnly, records } = context;
  const own = new Map<Id, RecordValues>();
  const has = (operation: (typeof model.operations)[number]) => model.operations.includes(operation);
  if (readOnly || !has('create') || !has('retrieve')) return own;
  const updated = has('update') ? [(await ask(wholeUpdate)).id] : [];
  const { newer, older } = await ask(three);
  for (const id of [older.id, newer.id, ...updated])
    own.set(id, stableValues(context, await records.readValues(id)));
  return own;
}

/** The lists that are seen; undefined where they, or some of the records, could not be read. */
export async function listsWith(context: CaseContext, ids: readonly Id[]): Promise<ListsSeen | undefined> {
  try {
    const seen = await context.ask(listsSeen);
    return seen.paged && ids.every((id) => seen.own.has(id)) ? seen : undefined;
  } catch (error) {
    if (error instanceof Failure || error instanceof Blocked || error instanceof Skip) return undefined;
    throw error;
  }
}

/** Judges by three records, the last of which is the newest of all when the lists are looked at. */
export async function onThreeListed(
  context: CaseContext,
  judge: (found: Three) => Promise<void>,
): Promise<void> {
  // An update that is asked for after the three would make a newer one.
  await listsWith(context, []);
  await onShared(context, three, judge);
}

/** The list over its pages; read by itself where that of the records made before, or they, could not be. */
export async function pagedList(context: CaseContext): Promise<Listing | undefined> {
  return (await listsWith(context, []))?.paged ?? context.records.listing();
}
