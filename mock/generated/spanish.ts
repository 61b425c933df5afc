import { kitFile } from '../../spec/files/kit-file.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';

/** The words of generated records of the kit. */
export const SPANISH = readYamlFile(kitFile('mock/generated/spanish.yaml')).value as {
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly slots: Readonly<Record<string, readonly string[]>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly tenants: readonly string[];
  readonly spain: Readonly<Record<string, readonly string[]>>;
  readonly costaRica: Readonly<Record<string, readonly string[]>>;
  readonly streets: readonly string[];
  /** Separated by spaces. */
  readonly female: string;
  readonly male: string;
  readonly surnames: string;
  readonly goods: readonly (readonly [string, string, string, string, number, number, number])[];
  readonly addons: readonly (readonly [product: number, name: string, price: number])[];
  readonly purchases: readonly (readonly [name: string, price: number])[];
};
