import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Meaning, Seen } from '../api/meaning.ts';
import { createComparison, isCopy, isOrigin } from '../assert/agreement.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import { createWriteLog, idsOf, type KnownRecord, type LoggedWrite } from '../book/known-record.ts';
import { linkOf } from '../book/ties.ts';
import { type Contradiction, createContradictions, type JudgeParts, type Unjudged } from './contradiction.ts';
import { createCopies } from './copies.ts';
import { createBlame } from './culprits.ts';
import { createListJudge, type Doubt } from './list-judge.ts';
import { createReadJudge } from './read-judge.ts';
import { createStrangers, type Strangers } from './strangers.ts';
import { createWriteJudge } from './writes.ts';

/** Judges each answer by what is known of the records. */
export type Judge = {
  /** A write is about to be sent. The result is called when it has ended, with the answer if there is one. */
  begin(meaning: Meaning): (at: number, seen: Seen | undefined) => void;
  /** A retrieve or a list was answered. Gives the records that a list shows otherwise than expected. */
  read(seen: Seen): readonly Doubt[];
  /** Changes of records that the run did not create. */
  readonly strangers: Pick<Strangers, 'open' | 'prove' | 'proving' | 'seen' | 'whyNoMore'>;
  /** Judges what can only be judged at the end. */
  finish(): void;
  readonly contradictions: () => readonly Contradiction[];
  readonly unjudged: () => readonly Unjudged[];
};

export function createJudge(parts: JudgeParts): Judge {
  const { check, known, ties } = parts;
  const found = createContradictions();
  const log = createWriteLog();
  const compare = createComparison(parts.catalogue);
  const strangers = createStrangers(parts);
  const secondsIn = new Set<TypeName>();
  const copies = createCopies();
  const blame = createBlame(parts.catalogue, found, copies, log, strangers.suspect, ({ type }) =>
    secondsIn.has(type),
  );
  const shared = { ...parts, blame, compare, copies, secondsIn };
  const writes = createWriteJudge(shared);
  const lists = createListJudge(shared);
  const reads = createReadJudge(shared, log, lists);
  const underWay = new WeakMap<KnownRecord, Set<{ isAlone: boolean }>>();
  return {
    begin,
    read: reads.read,
    finish: () => {
      lists.finish();
      strangers.settle(found);
    },
    contradictions: found.all,
    unjudged: copies.unjudged,
    strangers,
  };

  function begin(meaning: Meaning): (at: number, seen: Seen | undefined) => void {
    const { id, model, operation } = meaning;
    const sent = readSent(check, model, meaning.sent ?? {});
    const own = id === undefined ? undefined : known.get(model, id);
    const gone = operation === 'delete' && id !== undefined ? ties.goWith(model, id) : [];
    const tied = new Set([...ties.tiedTo(model, id, sent), ...gone]);
    for (const record of [own, ...tied]) if (record) record.pendingWrites++;
    const ended = log.begin({ model, operation, id });
    const write = own && startBeside(own);
    return (at, seen) => {
      for (const record of [own, ...tied]) if (record) rest(record, at);
      ended(at, seen?.exchange);
      if (own && write) underWay.get(own)?.delete(write);
      if (seen?.outcome !== 'refused')
        for (const record of tied)
          if (
            !(
              seen &&
              record.isOwn &&
              keepLinking(record, { model, operation, id, at, exchange: seen.exchange })
            )
          )
            loosen(record, gone.includes(record), isLine(record, model));
      // Its own rule says that it was answered.
      if (seen?.outcome === 'accepted' && operation === 'other' && id === undefined) loosenAll(model);
      // Which of two concurrent writes came last is unknown, and what each response shows of the other.
      if (own && write?.isAlone === false) loosen(own, operation === 'delete');
      else writes.apply({ meaning, sent, own, at, seen });
    };
  }

  /**
   * Keeps what is known of a record that links to the one that was written. An update of that one changes no writable
   * value that is no copy, and a delete only the links to it, or removes the record. Returns whether it is such a
   * record.
   */
  function keepLinking(record: KnownRecord, write: LoggedWrite): boolean {
    const { model, operation, id = Number.NaN } = write;
    if (operation !== 'update' && operation !== 'delete') return false;
    const isLink = (field: Field) => linkOf(field, parts.catalogue, parts.references) === model;
    const links = record.model.fields.filter(isLink);
    const isTied = ({ name }: Field) => idsOf(record.values.get(name)).includes(id);
    if (!links.some(isTied) || areLines(model, record.model)) return false;
    for (const field of record.model.fields) {
      const isKept = !field.readonly && field.lines === undefined && !isCopy(field, parts.catalogue);
      const fact = record.values.get(field.name);
      if (!fact || !(isKept || isOrigin(field))) record.values.delete(field.name);
      else if (operation === 'delete' && links.includes(field))
        record.values.set(field.name, { ...fact, or: null });
    }
    if (operation === 'delete' && record.life === 'live') record.life = 'unsure';
    record.lastTied = write;
    if (record.judged) record.judged = { ...record.judged, digest: '' };
    return true;
  }

  /** The writes to a record that are under way at the same time know that they are. */
  function startBeside(record: KnownRecord): { isAlone: boolean } {
    const others = underWay.get(record) ?? new Set();
    for (const other of others) other.isAlone = false;
    const write = { isAlone: others.size === 0 };
    underWay.set(record, others.add(write));
    return write;
  }

  /** A request to all of a model may have changed or deleted each record of the run, and what goes with it. */
  function loosenAll(model: Model): void {
    for (const record of known.of(model))
      for (const one of [record, ...ties.goWith(model, record.id)]) if (one.isOwn) loosen(one, true);
  }
}

function rest(record: KnownRecord, at: number): void {
  record.pendingWrites--;
  record.quietSince = at;
}

/** Some services replace the lines of a record in each write to it, and reuse their IDs. */
function isLine(record: KnownRecord, { fields }: Model): boolean {
  return fields.some(({ lines }) => lines === record.model.name);
}

/** Whether records of one model are lines of those of the other. */
function areLines(one: Model, other: Model): boolean {
  return [
    [one, other],
    [other, one],
  ].some(([of, line]) => of?.fields.some(({ lines }) => lines === line?.name));
}

/** A write to a tied record may have changed it: its values are unknown until the next read. */
function loosen(record: KnownRecord, mayBeGone: boolean, mayBeNew = false): void {
  const fields = mayBeNew ? [] : record.model.fields.filter(isOrigin);
  const origin = fields.map(({ name }) => [name, record.values.get(name)] as const);
  record.values.clear();
  for (const [name, fact] of origin) if (fact) record.values.set(name, fact);
  if (mayBeGone && record.life === 'live') record.life = 'unsure';
  delete record.judged;
}

/** The canonical values that are sent; undefined for those that are not valid. */
export function readSent(
  check: WireCheck,
  model: Model,
  sent: RecordValues,
): ReadonlyMap<string, Value | undefined> {
  const values = new Map<string, Value | undefined>();
  for (const field of model.fields) {
    const wire = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
    if (wire === undefined) continue;
    const value = check.readValue(field, wire);
    values.set(field.name, wire === null || check.complaint(field, wire) === undefined ? value : undefined);
  }
  return values;
}
