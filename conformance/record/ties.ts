import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { isObject } from '../api/places.ts';
import { isCopy } from '../assert/agreement.ts';
import type { Fact, Timeline } from './timeline.ts';

/** A write of the run, to any record. */
export type Write = {
  readonly model: Model;
  readonly operation: Operation | 'other';
  readonly id: number | undefined;
  /** When it ended; infinite while it has no response. */
  at: number;
  /** In lower case. */
  method?: string;
};

/** The writes of the run, and what they can change in other records, through links and lines. */
export type Ties = {
  begin(write: Omit<Write, 'at'>): Write;
  /** The writes that ended after a time or have not ended, the last one first. */
  since(at: number): Write[];
  /** Whether a write to another record might have changed a field since a fact. */
  mayChange(line: Timeline, field: Field, fact: Fact): boolean;
  /** Whether another record was deleted after the last write to a record. */
  hasRemoval(line: Timeline): boolean;
  /** Whether a write to another record might have deleted a record since its last retrieve. */
  mayDelete(line: Timeline): boolean;
};

export function createTies({ catalogue, references }: Contract): Ties {
  const models = [...catalogue.models.values()];
  const writes: Write[] = [];
  const linkOf = onceFor((field: Field): Model | undefined => {
    const reference = references.get(field.key);
    return catalogue.models.get(reference && 'to' in reference ? reference.to : '');
  });
  /** The names of a model, and of the models and things that its fields link to or hold as lines. */
  const thingsOf = onceFor((model: Model): ReadonlySet<string> => {
    const outside = model.fields.flatMap(({ key }) => {
      const reference = references.get(key);
      return reference && 'outside' in reference ? [reference.outside] : [];
    });
    const linked = model.fields.flatMap((field) => linkOf(field)?.name ?? field.lines ?? []);
    return new Set([model.name, ...linked, ...outside]);
  });
  /** The models whose writes can change a copied value or a total in a record of the model. */
  const nearOf = onceFor((model: Model): ReadonlySet<Model> => {
    const things = thingsOf(model);
    return new Set(models.filter((other) => [...thingsOf(other)].some((thing) => things.has(thing))));
  });
  const parentsOf = onceFor((model: Model) => new Set(models.filter((parent) => holdsLines(parent, model))));
  const hasRemoval = ({ read, write }: Timeline) => some(Math.max(read, write.at), isRemoval);
  return { begin, since, hasRemoval, mayChange, mayDelete };

  function begin(write: Omit<Write, 'at'>): Write {
    const begun = { ...write, at: Number.POSITIVE_INFINITY };
    writes.push(begun);
    return begun;
  }

  function since(at: number): Write[] {
    return writes.filter((write) => write.at > at).toReversed();
  }

  function some(at: number, isSuch: (write: Write) => boolean): boolean {
    // Only a few requests run at once, so older writes ended earlier.
    for (let index = writes.length - 1; index >= 0; index--) {
      const write = writes[index];
      if (!write || write.at < at - 1000) return false;
      if (write.at > at && isSuch(write)) return true;
    }
    return false;
  }

  function mayChange(line: Timeline, field: Field, fact: Fact): boolean {
    const { model, read } = line;
    if (field.lines !== undefined) return some(fact.at, (write) => write.model.name === field.lines);
    const parents = parentsOf(model);
    if (parents.size > 0 && some(fact.at, (write) => parents.has(write.model))) return true;
    const linked = linkOf(field);
    if (linked && some(fact.at, (write) => isDeleteOf(write, linked, fact.value))) return true;
    // The first retrieve after a write shows whether the service keeps the value.
    if (!isCopy(field, catalogue) || (fact.by !== 'retrieve' && read < fact.at)) return false;
    const near = nearOf(model);
    return some(fact.at, (write) => near.has(write.model) && write.model !== model);
  }

  function mayDelete({ facts, model, ended, read }: Timeline): boolean {
    const at = Math.max(read, ended);
    const parents = parentsOf(model);
    if (some(at, ({ model: of, operation }) => parents.has(of) && operation !== 'create')) return true;
    return model.fields.some((field) => {
      const linked = field.required ? linkOf(field) : undefined;
      const fact = facts.get(field.name);
      return linked && fact && some(fact.at, (write) => isDeleteOf(write, linked, fact.value));
    });
  }
}

export function isRemoval({ operation }: Pick<Write, 'operation'>): boolean {
  return operation === 'delete' || operation === 'other';
}

function isDeleteOf({ id, model, operation }: Write, linked: Model, value: Value): boolean {
  if (operation !== 'delete' || model !== linked) return false;
  return id === undefined || idsIn(value).includes(id);
}

/** Whether records of a model hold records of another as lines. */
export function holdsLines(parent: Model, line: Model): boolean {
  return parent.fields.some(({ lines }) => lines === line.name);
}

/** The IDs that a value links to: one, several, or those of lines. */
export function idsIn(value: Value | undefined): number[] {
  return [value]
    .flat()
    .map((item) => (isObject(item) ? item.id : item))
    .filter((id) => typeof id === 'number');
}

/** The case that a write breaks if it changes another record. */
export function caseOfWrite({ method = 'put', model, operation }: Write): string {
  if (operation === 'other') return `absent.${method === 'delete' ? 'delete-all' : method}:${model.name}`;
  const isOnRecord = operation === 'update' || operation === 'delete';
  return `${isOnRecord ? `${operation}.keeps-other-records` : 'create.distinct'}:${model.name}`;
}
