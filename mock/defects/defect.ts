import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Handle, Service } from '../decoration.ts';
import type { ModelEngine } from '../engine/engine.ts';
import type { ReadDraft } from '../operations/body.ts';

/** The model that a defect is in, mostly in one of its fields. */
export type DefectPlace = {
  readonly model: Model;
  readonly field?: Field;
  /** Distinguishes the places of one field, for example by a member of its value list. */
  readonly detail?: string;
};

/** A place as the functions of a defect see it, with the contract. */
export type At = Contract & {
  readonly model: Model;
  /** Throws a TypeError for a place without a field. */
  readonly field: Field;
  /** Empty for a place without a detail. */
  readonly detail: string;
};

/** Returns the places of a model that a defect applies to. */
export type Places = (model: Model, contract: Contract) => readonly DefectPlace[];

export type ChangeRequest = (inner: ReadDraft, at: At) => ReadDraft;
export type ChangeRecords = (own: ModelEngine, at: At) => Partial<ModelEngine>;
export type ChangeResponse = (inner: Handle, at: At, service: Service) => Handle;

/** The operations that send values. */
export type Written = 'create' | 'update';

/** A row of the table: one way to break the contract. It changes the request, the records, or the response. */
type DefectRow = {
  /** It shows in requests about other fields, so that the failing case need not name its field. */
  readonly elsewhere?: true;
  /** It shows only if the service begins without records. */
  readonly onEmpty?: true;
  /** `response` changes requests to names other than that of the model too. */
  readonly anyName?: true;
  /** Each place is one violation. */
  readonly places: Places;
  /** Changes how bodies are read. */
  readonly request?: ChangeRequest;
  /** Changes how the records of the model are stored and read. */
  readonly record?: ChangeRecords;
  /** Changes the responses to requests. */
  readonly response?: ChangeResponse;
};

/** Rows by the name of the defect, which is a slug: `create.drops-field`. */
export type DefectTable = Readonly<Record<string, DefectRow>>;
export type Defect = DefectRow & {
  readonly name: string;
  /** The behavior of the service, as a sentence without a subject. */
  readonly violates: string;
  /** IDs of the rules of the suite that are about it. */
  readonly rules: readonly string[];
};

/** The models that have the operations. */
export function models(...needs: readonly Operation[]): Places {
  return modelsIf(needs, () => true);
}

export function modelsIf(needs: readonly Operation[], isOne: (at: At) => boolean): Places {
  return (model, contract) =>
    has(model, ...needs) && isOne(atPlace({ model }, contract)) ? [{ model }] : [];
}

/** The fields that a client can write, of the models that have the operations. */
export function writable(...needs: readonly Operation[]): Places {
  return fieldsIf(needs, isWritable);
}

export function fieldsIf(needs: readonly Operation[], isOne: (at: At) => boolean): Places {
  return (model, contract) =>
    (has(model, ...needs) ? model.fields : [])
      .map((field) => ({ model, field }))
      .filter((place) => isOne(atPlace(place, contract)));
}

/** One place for each detail. */
export function each(places: Places, details: readonly string[] | ((at: At) => readonly string[])): Places {
  return (model, contract) =>
    places(model, contract).flatMap((place) => {
      const all = typeof details === 'function' ? details(atPlace(place, contract)) : details;
      return all.map((detail) => ({ ...place, detail }));
    });
}

export function atPlace({ detail = '', field, model }: DefectPlace, contract: Contract): At {
  return {
    ...contract,
    model,
    detail,
    get field(): Field {
      if (!field) throw new TypeError('This is a defect of a field, but no field is given.');
      return field;
    },
  };
}

/** Returns rows for a create, and the same for an update. */
export function onWrites(rows: (operation: Written) => DefectTable): DefectTable {
  return { ...rows('create'), ...rows('update') };
}

export function has(model: Model, ...operations: readonly Operation[]): boolean {
  return operations.every((operation) => model.operations.includes(operation));
}

export function isWritable({ field }: At): boolean {
  return !field.readonly;
}

export function isOptional({ field }: At): boolean {
  return !field.readonly && !field.required;
}

export function writableOf({ fields }: Model): Field[] {
  return fields.filter((field) => !field.readonly);
}

/** Whether a model has fields that a client can write. */
export function someWritable({ model }: At): boolean {
  return writableOf(model).length > 0;
}
