import type { OpenAPIV3_1 } from 'openapi-types';
import {
  type FilterOperator,
  filterFields,
  filterOperators,
  firstPage,
  hasId,
  listParameterNames,
  MOST_SORTS,
  MOST_VALUES,
  operatorParameter,
  schemaName,
  sortFields,
} from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Basis } from '../../spec/meta/meta.ts';
import { pagesOf, placeIn, sortingIn } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { referToChoices } from '../schemas/choices.ts';
import { type SchemaReference, toSchema } from '../schemas/schema.ts';
import { type Sources, sourcesAt } from '../sources.ts';
import { exampleId } from './examples.ts';

type Parameter = OpenAPIV3_1.ParameterObject & { 'x-basis': Basis };
type ParameterSchema = NonNullable<Parameter['schema']>;

/** The parameters of an operation: the id in its path, the version where one is asked for, those of a list. */
export function parametersOf(
  operation: Operation,
  model: Model,
  sources: Sources,
): (Parameter | SchemaReference)[] {
  return [
    ...(hasId(operation) ? [idParameter(model, sources)] : []),
    ...versionParameter(sources),
    ...(operation === 'list' ? listParameters(model, sources) : []),
  ];
}

function listParameters(model: Model, sources: Sources): (Parameter | SchemaReference)[] {
  const filters = filterFields(model, sources.profile).flatMap((field) => filterParameters(field, sources));
  return [...pagingParameters(sources), ...sortParameter(model, sources), ...filters];
}

function refer(name: string, parameter: Parameter, { components, prefix }: Sources): SchemaReference {
  return components.refer('parameters', prefix + name, JSON.stringify(parameter), () => parameter);
}

/** Shared by the models whose first record has the same id. */
function idParameter(model: Model, sources: Sources): SchemaReference {
  const example = exampleId(model, sources);
  const parameter: Parameter = {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The `id` of the record.',
    'x-basis': 'stated',
    schema: { type: 'integer', format: 'int64' },
    example,
  };
  return refer(example === 1 ? 'Id' : `Id${example}`, parameter, sources);
}

function versionParameter(sources: Sources): SchemaReference[] {
  const { catalogue, profile } = sources;
  const place = placeIn(profile.version);
  if (!place) return [];
  const parameter: Parameter = {
    name: place.name,
    in: place.in === 'query' ? 'query' : 'header',
    required: true,
    description: 'The version label of the API.',
    'x-basis': 'assumed',
    schema: { type: 'string', enum: [catalogue.version] },
  };
  return [refer('Version', parameter, sources)];
}

function pagingParameters(sources: Sources): SchemaReference[] {
  const { profile } = sources;
  const pages = pagesOf(profile);
  if (!pages) return [];
  const first = firstPage(profile);
  const count = (component: string, name: string, about: string, minimum: number, usual: number) => {
    const schema = { type: 'integer', format: 'int32', minimum, default: usual } as const;
    const description = `${about} (assumed).`;
    return refer(component, { name, in: 'query', description, 'x-basis': 'assumed', schema }, sources);
  };
  // No `maximum`: a larger number is not wrong, it gives the most there is (max of list.paging).
  const size = `Maximum number of records to return. The service returns at most ${pages.max}`;
  return [
    pages.style === 'offset'
      ? count('Offset', pages.from, 'Number of records to skip', 0, 0)
      : count('Page', pages.from, `Page number, starting at ${first}`, first, first),
    count('Size', pages.size, size, 1, pages.default),
  ];
}

function sortParameter(model: Model, sources: Sources): Parameter[] {
  const { profile } = sources;
  const name = listParameterNames(profile).get('sort');
  const fields = sortFields(model, profile).map((field) => field.name);
  if (name === undefined || fields.length === 0) return [];
  const owner = `the orders of ${model.name}`;
  const one = sources.components.refer('schemas', `${schemaName(model.name)}Sort`, owner, () => ({
    type: 'string',
    description: `A field of \`${model.name}\` to sort by. A minus sign before the name means descending order.`,
    'x-basis': 'assumed',
    enum: fields.flatMap((field) => [field, `-${field}`]),
    'x-enum-varnames': fields.flatMap((field) => [schemaName(field), `${schemaName(field)}Descending`]),
  }));
  const several = sortingIn(profile['list.sort'])?.several === true;
  const what = several ? 'Fields to sort by, separated by commas' : 'Field to sort by';
  const description = `${what}. A minus sign before the name means descending order (assumed).`;
  const values = several ? listOf(one, MOST_SORTS) : { schema: one };
  return [{ name, in: 'query', description, 'x-basis': 'assumed', ...values }];
}

/** Values of a query with commas between them. */
function listOf(items: ParameterSchema, maxItems: number) {
  const schema: ParameterSchema = { type: 'array', items, minItems: 1, maxItems };
  return { style: 'form', explode: false, schema };
}

/** A filter, and those with its operators, are shared by the models that have a field of its name and form. */
function filterParameters(field: Field, ofModel: Sources): SchemaReference[] {
  const sources = sourcesAt(ofModel, field.key);
  const { profile } = sources;
  const choices = referToChoices(field, { orNull: false }, sources);
  // The typings of parameters are those of OpenAPI 3.0.
  const schema = (choices ?? toSchema(WIRE_TYPES[field.type].schema({ field, profile }))) as ParameterSchema;
  const basis = { in: 'query', 'x-basis': 'assumed' } as const;
  // Fields of one name may differ in type, and selects in their lists.
  const list = choices && '$ref' in choices ? choices.$ref.split('/').at(-1) : undefined;
  const name = list ?? `${schemaName(field.name)}${field.type === 'int' ? '' : schemaName(field.type)}`;
  const description = `Returns only records with this \`${field.name}\` (assumed).`;
  return [
    refer(`${name}Filter`, { ...basis, name: field.name, description, schema }, sources),
    ...filterOperators(field, profile).map((operator) => {
      const parameter: Parameter = {
        ...basis,
        name: operatorParameter(field, operator),
        description: `Returns only records whose \`${field.name}\` ${OPERATORS[operator]} (assumed).`,
        ...(operator === 'in' ? listOf(schema, MOST_VALUES) : { schema: schemaOf(operator, schema) }),
      };
      // Whether a field may be unset differs from model to model, and has no other form.
      return refer(`${name}${schemaName(operator)}Filter`, parameter, sources);
    }),
  ];
}

const OPERATORS: Readonly<Record<FilterOperator, string>> = {
  gt: 'is greater than this value',
  gte: 'is greater than or equal to this value',
  lt: 'is less than this value',
  lte: 'is less than or equal to this value',
  contains: 'contains this string, ignoring case',
  in: 'is one of these values',
  null: 'has no value (`true`) or has a value (`false`)',
};

function schemaOf(operator: FilterOperator, schema: ParameterSchema): ParameterSchema {
  if (operator === 'null') return { type: 'boolean' };
  return operator === 'contains' ? { type: 'string', minLength: 1, maxLength: 200 } : schema;
}
