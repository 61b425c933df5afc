import type { OpenAPIV3_1 } from 'openapi-types';
import { filterFields, sortFields } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { namedChoices } from '../schemas/choices.ts';
import { referTo, toParameterSchema } from '../schemas/schema.ts';
import type { Sources } from '../sources.ts';
import { exampleId } from './examples.ts';

type Parameter = OpenAPIV3_1.ParameterObject;

/** The query parameters of a list: paging, sort, filters. */
export function listParameters(model: Model, sources: Sources): Parameter[] {
  return [
    ...pagingParameters(sources.profile),
    ...sortParameters(model, sources.profile),
    ...filterFields(model, sources.profile).map((field) => filterParameter(field, sources)),
  ];
}

/** The shared parameters, by the name of their component: the id in paths, and the version where one is asked for. */
export function sharedParameters(sources: Sources): Record<string, Parameter> {
  const { catalogue, profile } = sources;
  const id = [...catalogue.models.values()][0]?.fields.find((field) => field.name === 'id');
  return {
    Id: {
      name: 'id',
      in: 'path',
      required: true,
      description: 'The `id` of the record.',
      schema: { type: 'integer', format: 'int64' },
      ...(id ? { example: exampleId(id, sources) } : {}),
    },
    ...(profile['version.in'] === 'none'
      ? {}
      : {
          Version: {
            name: profile['version.name'],
            in: profile['version.in'],
            required: true,
            description: 'The version label of the interface.',
            schema: { type: 'string', enum: [catalogue.version] },
          },
        }),
  };
}

/** References to the shared parameters of an operation. */
export function sharedParametersOf(hasId: boolean, profile: Profile): OpenAPIV3_1.ReferenceObject[] {
  return [
    ...(hasId ? [referTo('parameters', 'Id')] : []),
    ...(profile['version.in'] === 'none' ? [] : [referTo('parameters', 'Version')]),
  ];
}

function pagingParameters(profile: Profile): Parameter[] {
  const largest = profile['list.maxSize'];
  const size: Parameter = {
    name: profile['list.sizeParameter'],
    in: 'query',
    // No `maximum`: a larger number is not wrong, it gives the most there is (list.maxSize).
    description: `How many records are wanted; a number above ${largest} gives ${largest}.`,
    schema: { type: 'integer', minimum: 1, default: profile['list.defaultSize'] },
  };
  switch (profile['list.paging']) {
    case 'none':
      return [];
    case 'offset': {
      const description = 'How many records to pass over.';
      return [
        {
          name: profile['list.offsetParameter'],
          in: 'query',
          description,
          schema: { type: 'integer', minimum: 0, default: 0 },
        },
        size,
      ];
    }
    case 'page': {
      const description = 'The number of the page, from 1.';
      return [
        {
          name: profile['list.pageParameter'],
          in: 'query',
          description,
          schema: { type: 'integer', minimum: 1, default: 1 },
        },
        size,
      ];
    }
  }
}

function sortParameters(model: Model, profile: Profile): Parameter[] {
  const names = sortFields(model, profile).map((field) => field.name);
  if (names.length === 0) return [];
  return [
    {
      name: profile['list.sortParameter'],
      in: 'query',
      description: 'The field to sort by; a minus before the name turns the order round.',
      schema: { type: 'string', pattern: `^-?(${names.join('|')})$` },
    },
  ];
}

function filterParameter(field: Field, sources: Sources): Parameter {
  const choices = namedChoices(field, sources);
  return {
    name: field.name,
    in: 'query',
    description: `Only records with this \`${field.name}\`.`,
    schema: choices
      ? referTo('schemas', choices.name)
      : toParameterSchema(WIRE_TYPES[field.type].schema({ field, profile: sources.profile })),
  };
}
