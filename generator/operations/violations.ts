import { listParameterNames } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Sources } from '../sources.ts';
import type { Violation } from './error-bodies.ts';

/** A violation to show, and whether it names a field of the model. */
type ShownViolation = Violation & { readonly ofModel?: true };

/** Something that can be wrong with a request of an operation, to show in its refusal; undefined where nothing is. */
export function exampleViolation(
  operation: Operation,
  model: Model,
  sources: Sources,
): ShownViolation | undefined {
  const { catalogue, profile } = sources;
  if (operation === 'create' || operation === 'update') {
    const wrong = wrongField(operation, model, sources);
    if (wrong) return { ...wrong, ofModel: true };
  }
  const names = listParameterNames(profile);
  if (operation === 'list') {
    const [size, sort] = [names.get('size'), names.get('sort')];
    if (size !== undefined)
      return { pointer: `/${size}`, message: 'must be an integer of at least 1, but is "many"' };
    if (sort !== undefined)
      return {
        pointer: `/${sort}`,
        message: 'must be the name of a sortable field, optionally with - in front, but is "color"',
      };
  }
  if (profile['version.in'] !== 'none')
    return {
      pointer: `/${profile['version.name']}`,
      message: `must be the version label ${catalogue.version} in the ${profile['version.in']}, but is missing`,
    };
  if (profile['request.unknownFields'] === 'ignore') return undefined;
  return { pointer: '/color', message: 'is not a known query parameter' };
}

function wrongField(
  operation: 'create' | 'update',
  { fields }: Model,
  { profile }: Sources,
): Violation | undefined {
  const writable = fields.filter((field) => !field.readonly);
  const required = writable.find((field) => field.required);
  const isWhole = operation === 'create' || profile['request.update'] === 'full';
  if (required)
    return {
      pointer: `/${required.name}`,
      message: isWhole ? 'is required' : 'must have a value, but is null',
    };
  const field = writable.find(({ type }) => type === 'int' || type === 'date' || type === 'manyToMany');
  if (!field) return undefined;
  const expected = { int: 'an integer', date: 'a date such as 2025-10-22' }[field.type as 'int' | 'date'];
  return { pointer: `/${field.name}`, message: `must be ${expected ?? 'an array'}, but is "many"` };
}
