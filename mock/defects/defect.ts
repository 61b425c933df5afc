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

export type ChangeRequest = (inner: ReadDraft, at: At) => ReadDraft;
export type ChangeRecords = (own: ModelEngine, at: At) => Partial<ModelEngine>;
export type ChangeResponse = (inner: Handle, at: At, service: Service) => Handle;
export type Changes<Change> = Readonly<Record<string, Change>>;

/** The operations that send values. */
export type Written = 'create' | 'update';

/** The places of a defect: each model or field that meets all conditions, by their names in `places.ts`. */
export type Where = {
  /** The operations that the model needs. */
  readonly needs?: readonly Operation[];
  readonly models?: readonly string[];
  readonly fields?: readonly string[];
  /** One place for each detail: a list of them, or its name. */
  readonly each?: string | readonly string[];
};

/** A row of the table, which `defects.yaml` describes: one way to break the contract. */
export type Defect = {
  /** A slug, such as `create.drops-field`. */
  readonly name: string;
  /** The behavior of the service, as a sentence without a subject. */
  readonly violates: string;
  /** IDs of the rules of the suite that are about it. */
  readonly rules: readonly string[];
  readonly where?: Where;
  readonly elsewhere?: true;
  readonly onEmpty?: true;
  readonly anyName?: true;
  /** Returns the places of a model that the defect applies to. Each place is one violation. */
  places(model: Model, contract: Contract): readonly DefectPlace[];
  /** Changes how bodies are read. */
  readonly request?: ChangeRequest | undefined;
  /** Changes how the records of the model are stored and read. */
  readonly record?: ChangeRecords | undefined;
  /** Changes the responses to requests. */
  readonly response?: ChangeResponse | undefined;
};

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

/** Returns changes for a create, and the same for an update. */
export function onWrites<Change>(changes: (operation: Written) => Changes<Change>): Changes<Change> {
  return { ...changes('create'), ...changes('update') };
}

export function writableOf({ fields }: Model): Field[] {
  return fields.filter((field) => !field.readonly);
}
