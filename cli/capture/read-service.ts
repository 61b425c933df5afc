import { type ApiResponse, isAccepted } from '../../conformance/api/answer.ts';
import { createApi } from '../../conformance/api/api.ts';
import { fetchParts } from '../../conformance/api/listing.ts';
import { plural } from '../../conformance/results/text.ts';
import { NoAnswer, sideBySide } from '../../conformance/target/exchange.ts';
import { findLineRelations } from '../../mock/engine/relations.ts';
import { createValueValidators } from '../../mock/operations/body.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE, type Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ConnectedService } from '../connection/connection.ts';
import { createStatus } from '../terminal/console.ts';

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

/**
 * Reads the records of the selected models, at most `limit` of each, and the records that they link to. Rejects with
 * UsageError if there are more than fixtures can have, and with NoAnswer if the service is lost.
 */
export async function readService(
  { catalogue, concurrency, references, selected, target }: ConnectedService,
  profile: Profile,
  limit: number,
): Promise<ReadRecords> {
  const api = createApi({ target, catalogue, profile: () => profile });
  const status = createStatus(100);
  const relations = findLineRelations(catalogue, references);
  const validate = createValueValidators(DEFAULT_PROFILE);
  const validateWire = createValueValidators(profile);
  const invalid = new Map<string, number>();
  const kept = new Map<string, Map<number, Fixture>>();
  const skipped = new Map<string, Skipped>();
  /** Records whose links are not followed yet. */
  let fresh: { readonly model: Model; readonly fixture: Fixture }[] = [];
  /** Lines that a parent shows as IDs only. */
  let shownIds: [model: string, id: number][] = [];
  let [bytes, records, models] = [0, 0, 0];
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
  return {
    records: new Map(
      [...catalogue.models.keys()].flatMap((name) => {
        const all = [...(kept.get(name)?.values() ?? [])];
        return all.length === 0 ? [] : [[name, all.toSorted((one, other) => one.id - other.id)]];
      }),
    ),
    skipped: [...skipped.values()],
    invalid,
  };

  function show({ name }: Model): void {
    const counts = [plural(records, 'record'), plural(target.requests(), 'request')].join(', ');
    status.show(`Reading: ${models} of ${selected.size} models, ${counts} (${name})`);
  }

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
        for (const wire of once.slice(0, limit - count)) keep(model, wire);
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
      await sideBySide(wanted, ([name, id]) => retrieve(name, id), concurrency);
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
    if (!model) return;
    show(model);
    const answer = await api.retrieve(name, id).catch((error) => {
      if (!(error instanceof NoAnswer) || error.gone) throw error;
      return undefined;
    });
    const wire = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
    // A service that returns another record does not have this one.
    if (wire && idOf(wire) === id) keep(model, wire);
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
