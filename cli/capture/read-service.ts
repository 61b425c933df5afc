import { type ApiResponse, isAccepted } from '../../conformance/api/answer.ts';
import { createApi } from '../../conformance/api/api.ts';
import { fetchParts } from '../../conformance/api/listing.ts';
import { plural } from '../../conformance/results/text.ts';
import { NoAnswer, sideBySide } from '../../conformance/target/exchange.ts';
import { findLineRelations } from '../../mock/engine/relations.ts';
import { createValueValidators } from '../../mock/operations/body.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE, type Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ConnectedService } from '../connection/connection.ts';
import { createStatus } from '../terminal/terminal.ts';

/** A record in the form of fixtures, which is that of the default profile. */
export type Fixture = { id: number; [field: string]: unknown };

/** The next ID must be a whole number that JSON keeps, too. */
const LARGEST_ID = Number.MAX_SAFE_INTEGER - 1;
/** Maximum number of records per model that are read only because others link to them. */
const MOST_LINKED = 1000;
/** The mock loads no larger fixtures. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Statuses that say that the service does not have a model. */
const ABSENT = [404, 501];

/** A model that could not be read, or not completely. */
type Skipped = {
  readonly model: string;
  readonly why: string;
  /** Whether the service does not have the model, so that the file is complete without it. */
  readonly isAbsent: boolean;
};

export type ReadRecords = ReturnType<ReturnType<typeof createCollection>['all']> & {
  readonly skipped: readonly Skipped[];
};

/**
 * Reads the records of the selected models, at most `limit` of each, and the records that they link to. Rejects with
 * UsageError if there are more than fixtures can have, and with NoAnswer if the service is lost.
 */
export async function readService(
  service: ConnectedService,
  profile: Profile,
  limit: number,
): Promise<ReadRecords> {
  const { catalogue, concurrency, selected, target } = service;
  const api = createApi({ target, catalogue, profile: () => profile });
  const collection = createCollection(service, profile);
  const skipped = new Map<string, Skipped>();
  const status = createStatus(100);
  let models = 0;
  try {
    for (const model of catalogue.models.values()) {
      if (!selected.has(model.name) || !model.operations.includes('list')) continue;
      show(model);
      await readList(model);
      models += 1;
    }
    await followLinks();
  } finally {
    status.clear();
  }
  return { ...collection.all(), skipped: [...skipped.values()] };

  function show({ name }: Model): void {
    const counts = [plural(collection.size(), 'record'), plural(target.requests(), 'request')].join(', ');
    status.show(`Reading: ${models} of ${selected.size} models, ${counts} (${name})`);
  }

  async function readList(model: Model): Promise<void> {
    let count = 0;
    try {
      for await (const { answer, found, fresh } of fetchParts(api, model.name)) {
        if (!found) return leaveOut(model, explain(answer), count, ABSENT.includes(answer.status));
        const ids = new Set<unknown>();
        const once = fresh.filter(({ id }) => ids.size < ids.add(id).size);
        for (const wire of once.slice(0, limit - count)) collection.keep(model, wire);
        count += once.length;
        show(model);
        if (count >= limit) return;
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

  /** Reads the linked records, and the records that these link to, until no link is left. */
  async function followLinks(): Promise<void> {
    const asked = new Map<string, Set<number>>();
    for (let links = collection.takeLinks(); links.length > 0; links = collection.takeLinks()) {
      const wanted = links.filter(({ id, model }) => {
        const own = asked.get(model.name) ?? new Set<number>();
        asked.set(model.name, own);
        const canAsk = model.operations.includes('retrieve') && !skipped.get(model.name)?.isAbsent;
        if (!canAsk || own.size >= MOST_LINKED || collection.has(model, id)) return false;
        return own.size < own.add(id).size;
      });
      await sideBySide(wanted, ({ id, model }) => retrieve(model, id), concurrency);
    }
  }

  async function retrieve(model: Model, id: number): Promise<void> {
    show(model);
    const answer = await api.retrieve(model.name, id).catch((error) => {
      if (!(error instanceof NoAnswer) || error.gone) throw error;
      return undefined;
    });
    const wire = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
    // A service that returns another record does not have this one.
    if (wire && idOf(wire) === id) collection.keep(model, wire);
  }
}

type RecordLink = { readonly model: Model; readonly id: number };

/** Collects records in the form of fixtures, and the links in them. */
function createCollection({ catalogue, references }: Contract, profile: Profile) {
  const relations = findLineRelations(catalogue, references);
  const validate = createValueValidators(DEFAULT_PROFILE);
  const validateWire = createValueValidators(profile);
  /** Fields with values that are not valid, as `model.field`, with their number. */
  const invalid = new Map<string, number>();
  const kept = new Map([...catalogue.models.keys()].map((name) => [name, new Map<number, Fixture>()]));
  const links: RecordLink[] = [];
  let [bytes, size] = [0, 0];
  return {
    keep,
    size: () => size,
    has: ({ name }: Model, id: number) => kept.get(name)?.has(id) === true,
    /** Returns the links that were found since the last call. */
    takeLinks: () => links.splice(0),
    /** Returns the records by model, in the order of the catalogue, and by ID. */
    all: () => ({
      records: new Map<string, readonly Fixture[]>(
        [...kept]
          .filter(([, own]) => own.size > 0)
          .map(([name, own]) => [name, [...own.values()].toSorted((one, other) => one.id - other.id)]),
      ),
      invalid,
    }),
  };

  /** Keeps a record and the lines that it shows. */
  function keep(model: Model, wire: RecordValues, parent?: readonly [field: string, id: number]): void {
    const fixture = fixtureOf(model, wire);
    if (!fixture) return;
    if (parent) fixture[parent[0]] ??= parent[1];
    for (const { field, line, link } of relations.ofParent(model)) {
      const lines = wire[field.name];
      if (!Array.isArray(lines)) continue;
      const ids = lines.flatMap((one) => idOf(one) ?? []);
      if (link === undefined) fixture[field.name] = ids;
      for (const one of lines)
        if (typeof one === 'object' && one !== null)
          keep(line, one as RecordValues, link === undefined ? undefined : [link, fixture.id]);
      // A parent can show its lines as IDs only.
      links.push(...ids.map((id) => ({ model: line, id })));
    }
    const own = kept.get(model.name);
    if (!own || own.has(fixture.id)) return;
    own.set(fixture.id, fixture);
    size += 1;
    bytes += JSON.stringify(fixture).length;
    if (bytes > MOST_BYTES)
      throw new UsageError(
        'The records have more than 64 MiB, and the mock loads no larger fixtures. Pass a lower --limit, or fewer --models.',
      );
    links.push(...linksOf(model, fixture));
  }

  /**
   * Returns the record without unset fields, fields of lines, and values that are not valid. Returns undefined if it has
   * no usable ID.
   */
  function fixtureOf(model: Model, wire: RecordValues): Fixture | undefined {
    const id = idOf(wire);
    if (id === undefined) {
      note(`${model.name}.id`);
      return undefined;
    }
    const made: Fixture = { id };
    for (const field of model.fields) {
      const value = Object.hasOwn(wire, field.name) ? wire[field.name] : undefined;
      if (value === undefined || value === null || field.lines !== undefined || field.name === 'id') continue;
      const read = readValue(field, value);
      if (read === undefined) note(field.key);
      else made[field.name] = read;
    }
    return made;
  }

  /** Returns the value in the form of fixtures; undefined if it is not valid. */
  function readValue(field: Model['fields'][number], value: Value): Value | undefined {
    const { decode, encode } = WIRE_TYPES[field.type];
    if (validateWire(field, value).length > 0) return undefined;
    try {
      const shown = encode(decode(value, { field, profile }), { field, profile: DEFAULT_PROFILE });
      return validate(field, shown).length === 0 ? shown : undefined;
    } catch {
      return undefined;
    }
  }

  function note(key: string): void {
    invalid.set(key, (invalid.get(key) ?? 0) + 1);
  }

  function linksOf(model: Model, fixture: Fixture): RecordLink[] {
    if (isDeleted(model, fixture as RecordValues)) return [];
    return model.fields.flatMap((field) => {
      const reference = references.get(field.key);
      const linked = reference && 'to' in reference && catalogue.models.get(reference.to);
      if (!linked) return [];
      const ids = [fixture[field.name] ?? []].flat();
      return ids.filter(Number.isSafeInteger).map((id) => ({ model: linked, id: Number(id) }));
    });
  }
}

function explain(answer: ApiResponse): string {
  return isAccepted(answer) ? 'the response is not a list of records' : `status ${answer.status}`;
}

/** Returns the ID of a record, or of a line that is shown as its ID; undefined if no record can have it. */
function idOf(shown: unknown): number | undefined {
  const isRecord = typeof shown === 'object' && shown !== null;
  const given = isRecord ? (Object.hasOwn(shown, 'id') ? (shown as RecordValues).id : undefined) : shown;
  const id = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 1 && id <= LARGEST_ID ? id : undefined;
}
