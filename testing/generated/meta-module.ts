import type { ContractFacts, FieldFacts, ModelFacts } from '../../spec/meta/meta.ts';

/** The comment of each export of `record-model-contract/meta`. */
const COMMENTS = {
  title: 'The title of the API.',
  version: 'The version label of the API.',
  base: 'The path before the name of a model.',
  areas: 'The areas with their models, in the order of the source.',
  models: 'The facts about each model and its fields, by name.',
  profile: 'The settings of the default profile, in their order.',
} as const satisfies Readonly<Record<keyof ContractFacts, string>>;

const TYPES = `/** The name of a model. */
export type ModelName = keyof typeof models;
/** The name of a field of a model. */
export type FieldName<Model extends ModelName> = keyof (typeof models)[Model]['fields'];
`;

/** Returns the module of the facts and its declarations, in which each value has its literal type. */
export function renderMetaModule(facts: ContractFacts): { readonly code: string; readonly types: string } {
  const members = Object.entries({ ...facts, models: fieldsByName(facts.models) });
  const commented = (name: string, statement: string) =>
    `/** ${COMMENTS[name as keyof ContractFacts]} */\n${statement}\n`;
  return {
    code: members
      .map(([name, value]) => commented(name, `export const ${name} = ${JSON.stringify(value)};`))
      .join('\n'),
    types: [
      ...members.map(([name, value]) => commented(name, `export declare const ${name}: ${typeOf(value)};`)),
      TYPES,
    ].join('\n'),
  };
}

/** Programs look fields up by name. */
function fieldsByName(models: ContractFacts['models']) {
  const byName = ({ fields, ...model }: ModelFacts) => ({
    ...model,
    fields: Object.fromEntries(fields.map((field): [string, FieldFacts] => [field.name, field])),
  });
  return Object.fromEntries(Object.entries(models).map(([name, model]) => [name, byName(model)]));
}

/** Returns the TypeScript type that only this JSON value has. */
function typeOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `readonly [${value.map(typeOf).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `readonly ${JSON.stringify(name)}: ${typeOf(member)}`,
  );
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
}
