import type { Catalogue, Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, readRole } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { linkedModel } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { idIn } from '../api/answer.ts';
import { agrees, isCopy, isNone, isOrigin, isRounder } from '../assert/agreement.ts';
import { holdsLines, thingOf } from '../records/values/values.ts';
import type { Exchange } from '../target/exchange.ts';

/** A known value of a field, in canonical form. */
export type Fact = {
  readonly value: Value;
  /** Another value that might hold, because the result of a write is unknown. */
  readonly or?: Value;
  /** The value before an update. A read that shows it again shows that the update was not stored. */
  readonly was?: Value;
  /** The write that sent the value, or the retrieve that showed it. */
  readonly by: 'create' | 'update' | 'retrieve';
  readonly at: number;
};

/** The past of a record that the run created, as far as it decides what a read must show. */
export type Timeline = {
  readonly model: Model;
  readonly id: number;
  /** When the create was sent. All times count the starts and ends of requests. */
  readonly since: number;
  readonly facts: Map<string, Fact>;
  /** `unsure`: the result of a write that might have deleted it is unknown. */
  life: 'live' | 'deleted' | 'unsure';
  /** The last accepted create or update. */
  write: {
    readonly at: number;
    readonly operation: 'create' | 'update';
    readonly sent: SentValues;
    readonly exchange: Exchange;
  };
  /** The last refused update, and the values that it sent. */
  refused?: { readonly at: number; readonly sent: SentValues };
  /** When the last retrieve was answered. */
  read: number;
  /** The writes to the record that have no response yet. */
  readonly open: Set<{ isAlone: boolean }>;
  /** When the last write to the record ended. */
  ended: number;
  /** The differences in lists since the last retrieve. The next retrieve shows whether the lists are wrong. */
  listed: { readonly field: Field; readonly confirm: () => void }[];
};

/** Canonical values by field; undefined for a value that is not valid. */
export type SentValues = ReadonlyMap<string, Value | undefined>;

/** An update or a delete that ended. */
export type EndedWrite = {
  readonly operation: 'update' | 'delete' | 'other';
  readonly sent: SentValues;
  /** `unknown`: a 5xx, no response, or another write to the record at the same time. */
  readonly outcome: 'accepted' | 'refused' | 'unknown';
  /** The record in the response, canonical. */
  readonly shown?: RecordValues | undefined;
  readonly at: number;
  readonly exchange?: Exchange | undefined;
};

export type CodecContract = { readonly catalogue: Catalogue; readonly profile: Profile };

export function startTimeline(
  model: Model,
  id: number,
  sent: SentValues,
  { asked, at, exchange }: { readonly asked: number; readonly at: number; readonly exchange: Exchange },
  settings: CodecContract,
): Timeline {
  const facts = new Map<string, Fact>();
  for (const field of model.fields) {
    const value = sent.get(field.name);
    if (value === undefined || value === null || field.readonly || areIds(field, settings)) continue;
    facts.set(field.name, { value, by: 'create', at });
  }
  const write = { at, operation: 'create', sent, exchange } as const;
  return {
    model,
    id,
    since: asked,
    facts,
    life: 'live',
    write,
    read: 0,
    open: new Set(),
    ended: at,
    listed: [],
  };
}

/** Continues a timeline with a write. */
export function applyWrite(line: Timeline, write: EndedWrite, settings: CodecContract): void {
  const { at, operation, outcome, sent } = write;
  line.ended = at;
  if (outcome === 'refused') {
    if (operation === 'update') line.refused = { at, sent };
  } else if (operation === 'delete') {
    line.life = outcome === 'accepted' ? 'deleted' : 'unsure';
  } else if (operation === 'other') {
    line.facts.clear();
  } else if (outcome === 'unknown') {
    openUp(line, sent, settings);
  } else {
    applyUpdate(line, write, settings);
  }
}

function applyUpdate(line: Timeline, write: EndedWrite, settings: CodecContract): void {
  const { at, exchange, sent, shown } = write;
  const { facts, model } = line;
  if (exchange) line.write = { at, operation: 'update', sent, exchange };
  delete line.refused;
  // The source does not say whether a deleted record can be updated.
  if (line.life === 'deleted') line.life = 'unsure';
  const profile = profileAt(settings.profile, model.name);
  const areCleared = clears(line, sent, shown, profile);
  for (const field of model.fields) {
    const { name } = field;
    const value = sent.get(name);
    const before = facts.get(name);
    const isComputed = before?.by === 'retrieve' && isCopy(field, settings.catalogue);
    const isWritable = !field.readonly && !areIds(field, settings);
    const isKept = isWritable && !sent.has(name) && !areCleared && !isComputed;
    if (isOrigin(field) || isKept) continue;
    // For null, the service can show a default.
    if (!isWritable || value === null || value === undefined) facts.delete(name);
    else facts.set(name, { value, by: 'update', at, ...valueBefore(line, before) });
  }
}

/** Returns the last value that a retrieve showed, or that the create sent. */
function valueBefore({ read }: Timeline, before: Fact | undefined): Pick<Fact, 'was'> {
  if (!before) return {};
  const isUnread = before.by === 'update' && before.at > read;
  return { was: (isUnread ? before.was : undefined) ?? before.value };
}

/** If the result of an update is unknown, the old and the new value might hold until a read shows one. */
function openUp({ facts, model }: Timeline, sent: SentValues, settings: CodecContract): void {
  const profile = profileAt(settings.profile, model.name);
  for (const field of model.fields) {
    const fact = facts.get(field.name);
    const isKept = !field.readonly && !sent.has(field.name) && !keepsNothing(profile);
    if (!fact || isOrigin(field) || isKept) continue;
    const value = sent.get(field.name);
    if (value === undefined || fact.or !== undefined) facts.delete(field.name);
    else facts.set(field.name, { ...fact, or: value });
  }
}

/** Continues a timeline with a retrieve: values that no write of the run fixes are those that it shows. */
export function applyRead(
  line: Timeline,
  shown: RecordValues,
  wire: RecordValues,
  at: number,
  settings: CodecContract,
): void {
  for (const field of line.model.fields) {
    const { name } = field;
    const fact = line.facts.get(name);
    if ((field.readonly && !isOrigin(field)) || areIds(field, settings)) continue;
    if (isOrigin(field) && !Object.hasOwn(wire, name)) continue;
    const isFixed = fact && !isOrigin(field) && fact.or === undefined;
    if (!isFixed) line.facts.set(name, { value: shown[name] ?? null, by: 'retrieve', at });
  }
  line.read = at;
}

/**
 * Whether a record under the ID of a timeline can be the one that the run created: the time of creation is the same,
 * and a value that is no boolean is as it was. A service can reuse the ID of a deleted record.
 */
export function isSameRecord({ facts, model }: Timeline, shown: RecordValues, needsAll: boolean): boolean {
  const created = facts.get(fieldOf(model, 'created')?.name ?? '')?.value;
  const found = readRole(model, 'created', shown);
  if (created !== undefined && found !== undefined && !isRounder(created, found)) return false;
  const kept = model.fields.filter((field) => !field.readonly);
  const telling = kept.filter(({ name, type }) => facts.has(name) && (needsAll || type !== 'bool'));
  const isKept = (field: Field) => {
    const value = facts.get(field.name)?.value ?? null;
    return (needsAll || value !== null) && agrees(field, value, shown[field.name]);
  };
  return telling.length > 0 && (needsAll ? telling.every(isKept) : telling.some(isKept));
}

/** Whether an update clears the fields that it omits, or might. */
function keepsNothing({ 'request.update': update, unknown }: Profile): boolean {
  return update === 'full' || unknown['request.update'] !== undefined;
}

/** Whether an update cleared the fields that it omitted, or might have. */
export function clears(
  line: Timeline,
  sent: SentValues,
  shown: RecordValues | undefined,
  profile: Profile,
): boolean {
  if (keepsNothing(profile)) return true;
  return profile['request.update'] === 'merge' && shown !== undefined && isReset(line, sent, shown);
}

/** Whether an update with the required fields cleared all others, which is another option of `request.update`. */
function isReset({ facts, model }: Timeline, sent: SentValues, shown: RecordValues): boolean {
  const others = model.fields.filter(
    ({ name, readonly, required }) =>
      !readonly && !required && !sent.has(name) && !isNone(facts.get(name)?.value),
  );
  return others.length > 0 && others.every(({ name }) => isNone(shown[name]));
}

/** Whether a field holds lines as IDs. Other rules judge these, because another record might have the lines. */
export function areIds({ key, lines }: Field, { profile }: CodecContract): boolean {
  return lines !== undefined && profileAt(profile, key)['types.lines'] === 'ids';
}

/** Whether a response shows that an update was not stored: no retrieve showed the new value, and this one shows the old. */
export function wasNotStored(
  { read }: Timeline,
  field: Field,
  { at, was }: Fact,
  shown: Value | undefined,
): boolean {
  return was !== undefined && at > read && agrees(field, was, shown);
}

/** A write of the run, to any record. */
export type RecordWrite = {
  readonly model: Model;
  readonly operation: Operation | 'other';
  readonly id: number | undefined;
  readonly sent: SentValues;
  /** When it ended; infinite while it has no response. */
  at: number;
  /** In lower case. */
  method?: string;
};

export type KindOfWrite = Pick<RecordWrite, 'method' | 'model' | 'operation'>;

/** The writes of the run, and what they can change in other records, through links and lines. */
export type Ties = ReturnType<typeof createTies>;

export function createTies({ catalogue, references }: Contract) {
  const models = [...catalogue.models.values()];
  const writes: RecordWrite[] = [];
  const linkOf = onceFor((field: Field) => catalogue.models.get(linkedModel(references, field) ?? ''));
  /** The names of a model, and of the models and things that its fields link to or hold as lines. */
  const thingsOf = onceFor((model: Model): ReadonlySet<string> => {
    const things = model.fields.flatMap((field) => thingOf(field, references) ?? field.lines ?? []);
    return new Set([model.name, ...things]);
  });
  /** The models whose writes can change a copied value or a total in a record of the model. */
  const nearOf = onceFor((model: Model): ReadonlySet<Model> => {
    const things = thingsOf(model);
    return new Set(models.filter((other) => [...thingsOf(other)].some((thing) => things.has(thing))));
  });
  const parentsOf = onceFor((model: Model) => new Set(models.filter((parent) => holdsLines(parent, model))));
  /** Whether another record was deleted after the last write to a record. */
  const hasRemoval = ({ read, write }: Timeline) => some(Math.max(read, write.at), isRemoval);
  return { begin, since, hasRemoval, hasRival, mayChange, mayDelete };

  function begin(write: Omit<RecordWrite, 'at'>): RecordWrite {
    const begun = { ...write, at: Number.POSITIVE_INFINITY };
    writes.push(begun);
    return begun;
  }

  /** The writes that ended after a time or have not ended, the last one first. */
  function since(at: number): RecordWrite[] {
    return writes.filter((write) => write.at > at).toReversed();
  }

  function some(at: number, isSuch: (write: RecordWrite) => boolean): boolean {
    // Only a few requests run at once, so older writes ended earlier.
    for (let index = writes.length - 1; index >= 0; index--) {
      const write = writes[index];
      if (!write || write.at < at - 1000) return false;
      if (write.at > at && isSuch(write)) return true;
    }
    return false;
  }

  /** Whether a write to another record might have changed a field since a fact. */
  function mayChange(line: Timeline, field: Field, fact: Fact): boolean {
    const { model, read } = line;
    if (field.lines !== undefined) return some(fact.at, (write) => write.model.name === field.lines);
    const parents = parentsOf(model);
    if (parents.size > 0 && some(fact.at, (write) => parents.has(write.model))) return true;
    const linked = linkOf(field);
    if (linked && some(fact.at, (write) => isDeleteOf(write, linked, fact.value))) return true;
    // A business rule may give the record the state that a write about it means, or allow one default record only.
    if (some(fact.at, (write) => namesRecord(write, line) || isOnlyOne(write, line, field, fact)))
      return true;
    // The first retrieve after a write shows whether the service keeps the value.
    if (!isCopy(field, catalogue) || (fact.by !== 'retrieve' && read < fact.at)) return false;
    const near = nearOf(model);
    return some(fact.at, (write) => near.has(write.model) && write.model !== model);
  }

  /** Whether a write to another model links to a record. */
  function namesRecord(write: RecordWrite, { id, model }: Timeline): boolean {
    const isLink = (field: Field) =>
      linkOf(field) === model && idsIn(write.sent.get(field.name)).includes(id);
    return write.model !== model && write.model.fields.some(isLink);
  }

  /** Whether a write to another record of the model sets a boolean that is true in a record. */
  function isOnlyOne(write: RecordWrite, line: Timeline, { name }: Field, { value }: Pick<Fact, 'value'>) {
    const { id, model, sent } = write;
    return value === true && model === line.model && id !== line.id && sent.get(name) === true;
  }

  /** Whether a write to another record, at the same time as a write, might have set its boolean to false. */
  function hasRival(
    line: Timeline,
    field: Field,
    value: Value,
    { asked, at }: { asked: number; at: number },
  ) {
    return some(asked, (write) => write.at !== at && isOnlyOne(write, line, field, { value }));
  }

  /** Whether a write sets links of which each might be a record of the model: tags of a customer, and its customerToTag. */
  function setsLinks(write: RecordWrite, { model }: Timeline): boolean {
    const isJoin = (field: Field) => model.fields.some((link) => linkOf(link) === linkOf(field));
    const isMany = (field: Field) => field.type === 'manyToMany' && linkOf(field) !== undefined;
    return write.model.fields.some((field) => isMany(field) && write.sent.has(field.name) && isJoin(field));
  }

  /** Whether a write to another record might have deleted a record since it was seen last. */
  function mayDelete(line: Timeline): boolean {
    const { facts, model, read, write } = line;
    // A refused write does not show that the record was there.
    const at = Math.max(read, write.at);
    const parents = parentsOf(model);
    if (some(at, ({ model: of, operation }) => parents.has(of) && operation !== 'create')) return true;
    return model.fields.some((field) => {
      const linked = field.required ? linkOf(field) : undefined;
      const fact = facts.get(field.name);
      if (!linked || !fact) return false;
      const isOn = ({ id, model }: RecordWrite) => model === linked && idsIn(fact.value).includes(id ?? 0);
      return some(
        fact.at,
        (one) => isDeleteOf(one, linked, fact.value) || (isOn(one) && setsLinks(one, line)),
      );
    });
  }
}

export function isRemoval({ operation }: Pick<RecordWrite, 'operation'>): boolean {
  return operation === 'delete' || operation === 'other';
}

function isDeleteOf({ id, model, operation }: RecordWrite, linked: Model, value: Value): boolean {
  if (operation !== 'delete' || model !== linked) return false;
  return id === undefined || idsIn(value).includes(id);
}

/** The IDs that a value links to: one, several, or those of lines. */
export function idsIn(value: Value | undefined): number[] {
  return [value]
    .flat()
    .map(idIn)
    .filter((id) => typeof id === 'number');
}

/** The case that a write breaks if it changes another record. */
export function caseOfWrite({ method = 'put', model, operation }: KindOfWrite): string {
  if (operation === 'other') return `absent.${method === 'delete' ? 'delete-all' : method}:${model.name}`;
  const isOnRecord = operation === 'update' || operation === 'delete';
  return `${isOnRecord ? `${operation}.keeps-other-records` : 'create.distinct'}:${model.name}`;
}
