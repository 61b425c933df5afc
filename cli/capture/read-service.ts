import { type ApiResponse, isAccepted } from '../../conformance/api/answer.ts';
import type { ModelApi } from '../../conformance/api/api.ts';
import { fetchParts } from '../../conformance/api/listing.ts';
import { NoAnswer, sideBySide } from '../../conformance/target/exchange.ts';
import { findLineRelations } from '../../mock/engine/relations.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { createFixtureReader, type Fixture } from './fixture-reader.ts';

/** Maximum number of records per model that are read only because others link to them. */
const MOST_LINKED = 1000;
/** The mock loads no larger fixtures. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Statuses that say that the service does not have a model. */
const ABSENT = [404, 501];

/** A model that could not be read, or not completely. */
export type Skipped = {
  readonly model: string;
  readonly why: string;
  /** Whether the service does not have the model, so that the file is complete without it. */
  readonly isAbsent: boolean;
};

export type ReadRecords = {
  /** By model, in the order of the catalogue, and by ID. */
  readonly records: ReadonlyMap<string, readonly Fixture[]>;
  readonly skipped: readonly Skipped[];
  /** Fields with values that are not valid, as `model.field`, with their number. */
  readonly invalid: ReadonlyMap<string, number>;
};

export type ReadProgress = { readonly model: string; readonly models: number; readonly records: number };

/**
 * Reads the records of the selected models, at most `limit` of each, and the records that they link to. Rejects with
 * UsageError if there are more than fixtures can have, and with NoAnswer if the service is lost.
 */
export async function readService(
  api: ModelApi,
  { catalogue, references }: Contract,
  options: {
    readonly selected: ReadonlySet<string>;
    /** Maximum number of records per model. Infinity reads all. */
    readonly limit: number;
    readonly concurrency: number;
    readonly onProgress: (progress: ReadProgress) => void;
  },
): Promise<ReadRecords> {
  const relations = findLineRelations(catalogue, references);
  const read = createFixtureReader(api.profile);
  const kept = new Map<string, Map<number, Fixture>>();
  const skipped = new Map<string, Skipped>();
  /** Records whose links are not followed yet. */
  let fresh: { readonly model: Model; readonly fixture: Fixture }[] = [];
  /** Lines that a parent shows as IDs only. */
  let shownIds: [model: string, id: number][] = [];
  let [bytes, records, models] = [0, 0, 0];
  for (const model of catalogue.models.values()) {
    if (!options.selected.has(model.name) || !model.operations.includes('list')) continue;
    options.onProgress({ model: model.name, models, records });
    await readList(model);
    models += 1;
  }
  await followLinks();
  return {
    records: new Map(
      [...catalogue.models.keys()].flatMap((name) => {
        const all = [...(kept.get(name)?.values() ?? [])];
        return all.length === 0 ? [] : [[name, all.toSorted((one, other) => one.id - other.id)]];
      }),
    ),
    skipped: [...skipped.values()],
    invalid: read.invalid,
  };

  async function readList(model: Model): Promise<void> {
    let count = 0;
    try {
      for await (const { answer, found, fresh } of fetchParts(api, model.name)) {
        if (!found) {
          leaveOut(model, explain(answer), count, ABSENT.includes(answer.status));
          return;
        }
        const ids = new Set<unknown>();
        const once = fresh.filter(({ id }) => ids.size < ids.add(id).size);
        for (const wire of once.slice(0, options.limit - count)) keep(model, wire);
        count += once.length;
        options.onProgress({ model: model.name, models, records });
        if (count >= options.limit) return;
      }
    } catch (error) {
      // One response that is too large or broken says nothing about other models.
      if (!(error instanceof NoAnswer) || error.gone) throw error;
      leaveOut(model, error.message, count, false);
    }
  }

  function leaveOut(model: Model, why: string, count: number, isAbsent: boolean): void {
    const after = count === 0 ? '' : ` after ${count} records`;
    skipped.set(model.name, { model: model.name, why: why + after, isAbsent: isAbsent && count === 0 });
  }

  /** Keeps a record and the lines that it shows. */
  function keep(model: Model, wire: RecordValues, parent?: readonly [field: string, id: number]): void {
    const fixture = read.fixture(model, wire);
    if (!fixture) return;
    if (parent) fixture[parent[0]] ??= parent[1];
    for (const { field, line, link } of relations.ofParent(model)) {
      const lines = wire[field.name];
      if (!Array.isArray(lines)) continue;
      const ids = lines.flatMap((one) => read.idOf(one) ?? []);
      if (link === undefined) fixture[field.name] = ids;
      for (const one of lines)
        if (typeof one === 'object' && one !== null)
          keep(line, one as RecordValues, link === undefined ? undefined : [link, fixture.id]);
      shownIds.push(...ids.map((id): [string, number] => [line.name, id]));
    }
    const own = kept.get(model.name) ?? new Map<number, Fixture>();
    kept.set(model.name, own);
    if (own.has(fixture.id)) return;
    own.set(fixture.id, fixture);
    records += 1;
    bytes += JSON.stringify(fixture).length;
    if (bytes > MOST_BYTES)
      throw new UsageError(
        'The records have more than 64 MiB, and the mock loads no larger fixtures. Pass a lower --limit, or fewer --models.',
      );
    fresh.push({ model, fixture });
  }

  /** Reads the linked records, and the records that these link to, until no link is left. */
  async function followLinks(): Promise<void> {
    const asked = new Set<string>();
    const counts = new Map<string, number>();
    while (fresh.length > 0) {
      const wanted = [...fresh.flatMap(linksOf), ...shownIds].filter(([name, id]) => {
        const model = catalogue.models.get(name);
        const count = counts.get(name) ?? 0;
        const isKnown = kept.get(name)?.has(id) || asked.has(`${name}/${id}`);
        if (isKnown || !model?.operations.includes('retrieve') || skipped.get(name)?.isAbsent) return false;
        if (count >= MOST_LINKED) return false;
        counts.set(name, count + 1);
        asked.add(`${name}/${id}`);
        return true;
      });
      [fresh, shownIds] = [[], []];
      await sideBySide(wanted, ([name, id]) => retrieve(name, id), options.concurrency);
    }
  }

  function linksOf({ fixture, model }: (typeof fresh)[number]): [model: string, id: number][] {
    if (isDeleted(model, fixture as RecordValues)) return [];
    return model.fields.flatMap((field) => {
      const reference = references.get(field.key);
      if (reference === undefined || 'outside' in reference) return [];
      const ids = [fixture[field.name] ?? []].flat();
      return ids.flatMap((id): [string, number][] =>
        Number.isSafeInteger(id) ? [[reference.to, Number(id)]] : [],
      );
    });
  }

  async function retrieve(name: string, id: number): Promise<void> {
    const model = catalogue.models.get(name);
    options.onProgress({ model: name, models, records });
    const answer = await api.retrieve(name, id).catch((error) => {
      if (!(error instanceof NoAnswer) || error.gone) throw error;
      return undefined;
    });
    const wire = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
    // A service that returns another record does not have this one.
    if (model && wire && read.idOf(wire) === id) keep(model, wire);
  }
}

function explain(answer: ApiResponse): string {
  return isAccepted(answer) ? 'the response is not a list of records' : `status ${answer.status}`;
}
