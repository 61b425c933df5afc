import { hash } from 'node:crypto';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { TypeName } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isCopy } from '../../assert/copies.ts';
import { show } from '../../assert/wire-check.ts';
import type { KnownRecord } from '../known-record.ts';
import type { Seen } from '../seen.ts';
import type { WriteLog } from '../write-log.ts';
import type { Blame } from './blame.ts';
import { type Compare, isOrigin } from './comparison.ts';
import type { JudgeParts } from './judge-parts.ts';
import { createLifeJudge } from './life-judge.ts';
import type { Doubt, ListJudge } from './list-judge.ts';
import { createShownValues, type Shown } from './shown-values.ts';

/** Gives what a list shows otherwise than expected. */
type ReadJudge = { read(seen: Seen): readonly Doubt[] };

/** Of a longer list, what stands further back is looked at where it is known. */
const MOST_LISTED = 1000;
/** Characters of a record that are kept to tell it from another; of a longer one, a digest is. */
const LONGEST_KEPT = 1000;

const TIMES: ReadonlySet<TypeName> = new Set(['time', 'datetime']);
/** Of a canonical time, other than 0. */
const SECONDS = /:(?!00)\d\d(\.\d+)?Z?$/;

/** A retrieve and a list show what is known. */
export function createReadJudge(
  parts: JudgeParts & {
    readonly blame: Blame;
    readonly compare: Compare;
    /** The types of which a response showed seconds. */
    readonly secondsIn: Set<TypeName>;
  },
  log: WriteLog,
  lists: ListJudge,
): ReadJudge {
  const { blame, catalogue, check, known, profile, secondsIn } = parts;
  const life = createLifeJudge(blame);
  const values = createShownValues(parts, log);
  return { read };

  function read(seen: Seen): readonly Doubt[] {
    const { id, model, operation } = seen.meaning;
    if (operation === 'retrieve') retrieved(model, id ?? 0, seen);
    if (operation === 'retrieve' || seen.outcome !== 'accepted' || !seen.records) return [];
    const doubts = seen.records
      .filter(({ id: one }, index) => index < MOST_LISTED || known.get(model, Number(one)))
      .map((wire) => listed(model, wire, seen))
      .filter((doubt) => doubt !== undefined);
    return [...doubts, ...lists.missing(seen)];
  }

  function retrieved(model: Model, id: number, seen: Seen): void {
    const { outcome, records, status } = seen;
    const wire = outcome === 'accepted' ? records?.[0] : undefined;
    const record = known.get(model, id);
    if (wire && Number.isSafeInteger(wire.id) && wire.id !== id) {
      blame.rule('operations.retrieve', record ?? known.meet(model, id, seen.answered), seen, {
        message: 'a retrieve returns another record',
        expected: `id ${id}`,
        found: `id ${show(wire.id)}`,
      });
    } else if (wire) {
      const { digest, shown } = look(model, wire);
      const one = record ?? known.meet(model, id, seen.answered);
      if (!isQuiet(one, seen)) return;
      const isKnown = one.judged?.digest === digest;
      if (!(isKnown && one.life === 'live') && !life.settle(one, shown, seen)) return;
      if (!isKnown) judge({ record: one, wire, values: shown(), by: 'retrieve', seen });
      one.judged = { digest, at: seen.answered };
    } else if (outcome === 'refused' && [404, 410, profile['status.unknownRecord']].includes(status)) {
      if (!record || !isQuiet(record, seen) || record.life !== 'live') return;
      blame.vanished(record, seen, `status ${status}`);
      record.life = 'unsure';
    }
  }

  function listed(model: Model, wire: RecordValues, seen: Seen): Doubt | undefined {
    const { id } = wire;
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
    const { digest, shown } = look(model, wire);
    const record = known.meet(model, id, seen.answered);
    if (!isQuiet(record, seen)) return undefined;
    if (record.life === 'live' && record.judged?.digest === digest) return undefined;
    if (record.life === 'deleted') return life.reappeared(record, shown(), seen);
    if (!life.settle(record, shown, seen)) return undefined;
    const one = { record, wire, values: shown(), by: 'list' as const, seen };
    const [first] = [...values.differences(one)];
    if (first) return { record, hold: () => blame.list(record, first.wrong, seen) };
    values.take(one);
    record.judged = { digest, at: seen.answered };
    return undefined;
  }

  /** Decodes a record only if its text differs from the one that was read before. */
  function look(model: Model, wire: RecordValues) {
    let canonical: RecordValues | undefined;
    const shown = () => {
      if (canonical) return canonical;
      canonical = check.read(model, wire);
      for (const { name, type } of model.fields)
        if (TIMES.has(type) && SECONDS.test(String(canonical[name]))) secondsIn.add(type);
      return canonical;
    };
    const text = JSON.stringify(wire);
    return { digest: text.length > LONGEST_KEPT ? hash('sha1', text, 'base64') : text, shown };
  }

  function judge(shown: Shown): void {
    const { record, seen } = shown;
    for (const { fact, field, wrong } of values.differences(shown)) {
      if (isOrigin(field) && fact.by === 'retrieve') blame.origin(record, wrong, fact, seen);
      else if (isOrigin(field) || field.readonly || isCopy(field, catalogue)) blame.list(record, wrong, seen);
      else blame.retrieve(record, wrong, fact, seen);
      record.values.delete(field.name);
    }
    values.take(shown);
  }

  /** Nothing that may change the record was under way between question and answer. */
  function isQuiet({ quietSince, pendingWrites }: KnownRecord, { asked }: Seen): boolean {
    return pendingWrites === 0 && quietSince < asked;
  }
}
