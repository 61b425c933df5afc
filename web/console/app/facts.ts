/** The response of `GET /__mock/contract`: the facts of the contract and the profile. */
export type ContractFacts = {
  readonly title: string;
  readonly version: string;
  readonly base: string;
  readonly areas: readonly {
    readonly name: string;
    readonly about: string;
    readonly models: readonly string[];
  }[];
  readonly models: Readonly<Record<string, ModelFacts>>;
  readonly profile: readonly SettingFacts[];
};

export type ModelFacts = {
  readonly area: string;
  readonly section: string;
  readonly path: string;
  readonly about?: string;
  readonly operations: readonly ('list' | 'retrieve' | 'create' | 'update' | 'delete')[];
  readonly fields: readonly FieldFacts[];
};

export type FieldFacts = {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly readonly: boolean;
  readonly basis: 'stated' | 'inferred' | 'assumed';
  readonly section?: string;
  readonly maxLength?: number;
  readonly values?: readonly { readonly value: string | number; readonly label?: string }[];
  readonly link?: { readonly model: string; readonly reason: string };
  /** The model of the lines that the field contains. */
  readonly lines?: string;
  readonly description?: string;
};

export type SettingFacts = {
  readonly setting: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly title: string;
  readonly says?: string;
  readonly section: string;
  readonly options?: readonly unknown[];
};
