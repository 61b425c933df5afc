import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { agrees } from '../../assert/agreement.ts';
import { type KnownRecord, nameOf } from '../known-record.ts';
import type { Suspicion } from './blame.ts';
import type { Contradictions } from './contradiction.ts';
import type { JudgeParts } from './judge-parts.ts';

/** Detects other writers: they explain changes of records that the run did not make. */
export type Strangers = {
  suspect(suspicion: Suspicion): void;
  /** Why nothing more is written to a model; undefined where nothing was harmed. */
  whyNoMore(model: Model, operation: string): string | undefined;
  /** Reports the changes that no other writer explains. */
  settle(found: Contradictions): void;
  /** What others made or changed, a line each. */
  readonly seen: () => readonly string[];
};

const MOST_SUSPICIONS = 200;
/** Milliseconds that a record has to be older than the run, so that no other run can have made it. */
const OLD = 60_000;

export function createStrangers({ catalogue, known, ties }: JudgeParts): Strangers {
  const suspicions: Suspicion[] = [];
  const harmed = new Map<Model, { readonly operation: string; readonly why: string }>();
  let lines: readonly string[] = [];
  return { suspect, whyNoMore, settle, seen: () => lines };

  function suspect(suspicion: Suspicion): void {
    const { by, contradiction, record } = suspicion;
    if (suspicions.length < MOST_SUSPICIONS) suspicions.push(suspicion);
    if (!contradiction || !by || !isOld(record)) return;
    harmed.set(by.model, { operation: by.operation, why: contradiction.message });
  }

  /** A harmful delete stops all writes; after other harmful writes the run still deletes its records. */
  function whyNoMore(model: Model, operation: string): string | undefined {
    const harm = harmed.get(model);
    if (!harm || (operation === 'delete' && harm.operation !== 'delete')) return undefined;
    return `a record that is not the suite's was changed, so that no more is written to ${model.name}: ${harm.why}`;
  }

  function settle({ add }: Contradictions): void {
    const start = startOf();
    const made = [...catalogue.models.values()].flatMap((model) =>
      [...known.of(model)]
        .filter((record) => isStrange(record, start))
        .map((record) => `${nameOf(record)} made`),
    );
    const unexplained = suspicions.filter(({ contradiction }) => contradiction === undefined);
    if (made.length + unexplained.length > 0) {
      const changed = suspicions.map(({ record }) => `${nameOf(record)} changed or deleted`);
      lines = [...new Set([...made, ...changed])];
      return;
    }
    for (const { contradiction } of suspicions) if (contradiction) add(contradiction);
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

  /** Made after the run began, by no request of it: not beside one of its records either, nor as its double. */
  function isStrange(record: KnownRecord, start: number): boolean {
    if (record.isOwn || record.life !== 'live' || !(createdAt(record) > start)) return false;
    const { model } = record;
    if (
      [...catalogue.models.values()].some(({ fields }) => fields.some(({ lines: of }) => of === model.name))
    )
      return false;
    if (ties.tiedTo(model, record.id, {}).some(({ isOwn }) => isOwn)) return false;
    return ![...known.of(model)].some((own) => own.isOwn && isAlike(own, record));
  }
}

function createdAt({ values }: KnownRecord): number {
  return Date.parse(String(values.get('created')?.value));
}

/** One writable value that tells records apart is the same. */
function isAlike(own: KnownRecord, other: KnownRecord): boolean {
  return own.model.fields.some((field: Field) => {
    const [one, two] = [own.values.get(field.name)?.value, other.values.get(field.name)?.value];
    const isText = typeof one === 'string' && one.length > 3 && !field.readonly;
    return isText && two !== undefined && agrees(field, one, two);
  });
}
