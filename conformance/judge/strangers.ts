import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import { isAlike, nameOf } from '../book/identity.ts';
import { isOfKind, type KnownRecord, type LoggedWrite } from '../book/known-record.ts';
import { type Contradictions, type JudgeParts, ruleOfWrite } from './contradiction.ts';
import type { Suspicion } from './culprits.ts';

/** Tells what the run did to records that it did not make from what others did. */
export type Strangers = {
  suspect(suspicion: Suspicion): void;
  /** Reads a record right after a write. As it was read right before too, a change proves the write guilty. */
  proving<T>(read: () => T): T;
  /** Why nothing more is written to a model; undefined where nothing was harmed. */
  whyNoMore(model: Model, operation: string): string | undefined;
  /** The changes that a write of the run may have made, as far as nothing proves it yet; one a record. */
  open(): readonly Suspicion[];
  /** The run tried it again, and this write did it. */
  prove(suspicion: Suspicion, by: LoggedWrite): void;
  /** Reports the changes that the run is proven to have made. */
  settle(found: Contradictions): void;
  /** A line for each record that others created or changed, or may have. */
  readonly seen: () => readonly string[];
};

const MOST_SUSPICIONS = 200;
/** Milliseconds that a record has to be older than the run, so that no other run can have made it. */
const OLD = 60_000;

/** `several`: the run did it, but it is open which write. */
type Proof = 'read before and after' | 'several' | 'tried again';

export function createStrangers({ catalogue, known, ties }: JudgeParts): Strangers {
  const suspicions: Suspicion[] = [];
  const proofs = new Map<Suspicion, Proof>();
  const harmed = new Map<Model, { readonly operation: string; readonly why: string }>();
  let isProving = false;
  let lines: readonly string[] = [];
  return { suspect, proving, whyNoMore, open, prove, settle, seen: () => lines };

  function suspect(suspicion: Suspicion): void {
    const { by, contradiction, record } = suspicion;
    if (suspicions.length < MOST_SUSPICIONS) suspicions.push(suspicion);
    if (!contradiction || !by) return;
    if (isProving) proofs.set(suspicion, suspicion.isAlone ? 'read before and after' : 'several');
    if (isOld(record) && !suspicion.wasOnlyListed)
      harmed.set(by.model, { operation: by.operation, why: contradiction.message });
  }

  function proving<T>(read: () => T): T {
    isProving = true;
    try {
      return read();
    } finally {
      isProving = false;
    }
  }

  function prove(suspicion: Suspicion, by: LoggedWrite): void {
    const { contradiction } = suspicion;
    if (!contradiction) return;
    const exchanges = by.exchange ? [by.exchange] : [];
    const proven = {
      ...suspicion,
      by,
      contradiction: { ...contradiction, case: ruleOfWrite(by), exchanges },
    };
    suspicions.splice(suspicions.indexOf(suspicion), 1, proven);
    proofs.set(proven, 'tried again');
  }

  /** A harmful delete stops all writes; after other harmful writes the run still deletes its records. */
  function whyNoMore(model: Model, operation: string): string | undefined {
    const harm = harmed.get(model);
    if (!harm || (operation === 'delete' && harm.operation !== 'delete')) return undefined;
    return `the suite stopped writing to ${model.name} because a record that it did not create changed: ${harm.why}`;
  }

  function open(): readonly Suspicion[] {
    const isClosed = (one: Suspicion) =>
      suspicions.some((other) => proofs.get(other) !== 'several' && explains(other, one));
    const isOpen = (one: Suspicion) => one.contradiction && one.record.life === 'live' && !isClosed(one);
    return [...new Map(suspicions.filter(isOpen).map((one) => [one.record, one])).values()];
  }

  function settle({ add }: Contradictions): void {
    const start = startOf();
    const made = [...catalogue.models.values()].flatMap((model) =>
      [...known.of(model)]
        .filter((record) => isStrange(record, start))
        .map((record) => `${nameOf(record)} made`),
    );
    const isAlone = made.length === 0 && suspicions.every(({ contradiction }) => contradiction !== undefined);
    const isProven = (one: Suspicion) => {
      const proof = proofs.get(one);
      // A record that also changes at other times may have changed by accident.
      const isCalm = () => suspicions.every((other) => other.record !== one.record || explains(one, other));
      return proof === 'tried again' || (proof !== undefined && isAlone && isCalm());
    };
    const proven = suspicions.filter(isProven);
    for (const { contradiction } of proven) if (contradiction) add(contradiction);
    const changed = suspicions
      .filter((one) => !proven.some((other) => explains(other, one)))
      .map(({ contradiction, record }) => contradiction?.message ?? `${nameOf(record)} changed or deleted`);
    lines = [...new Set([...made, ...changed])];
  }

  /** Whether a write of the kind that did one may have done the other. */
  function explains(one: Suspicion, other: Suspicion): boolean {
    if (!proofs.has(one)) return false;
    const { by } = one;
    return one === other || (by !== undefined && other.writes?.some((write) => isOfKind(write, by)) === true);
  }

  /** When the run made its first record, by the clock of the target. */
  function startOf(): number {
    const times = [...catalogue.models.values()].flatMap((model) =>
      [...known.of(model)].filter(({ isOwn }) => isOwn).map(createdAt),
    );
    return Math.min(...times.filter((time) => !Number.isNaN(time)));
  }

  function isOld(record: KnownRecord): boolean {
    return createdAt(record) < startOf() - OLD;
  }

  /**
   * Whether somebody else created the record after the run began. Lines, related records, and doubles of own ones don't
   * count.
   */
  function isStrange(record: KnownRecord, start: number): boolean {
    if (record.isOwn || record.life !== 'live' || !(createdAt(record) > start)) return false;
    const { model } = record;
    if (
      [...catalogue.models.values()].some(({ fields }) => fields.some(({ lines: of }) => of === model.name))
    )
      return false;
    if (ties.tiedTo(model, record.id, new Map()).some(({ isOwn }) => isOwn)) return false;
    return ![...known.of(model)].some((own) => own.isOwn && isAlike(own, record));
  }
}

function createdAt({ model, values }: KnownRecord): number {
  return Date.parse(String(values.get(fieldOf(model, 'created')?.name ?? '')?.value));
}
