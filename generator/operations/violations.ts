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
  const { profile } = sources;
  if (operation === 'create' || operation === 'update') {
    const wrong = wrongField(operation, model, sources);
    if (wrong) return { ...wrong, ofModel: true };
  }
  const names = listParameterNames(profile);
  if (operation === 'list') {
    const [size, sort] = [names.get('size'), names.get('sort')];
    if (size !== undefined)
      return { pointer: `/${size}`, message: 'is "many"; expected a whole number of 1 or more' };
    if (sort !== undefined)
      return {
        pointer: `/${sort}`,
        message: 'is "colour"; expected the name of a field with one value, or - and the name',
      };
  }
  if (profile['version.in'] !== 'none')
    return { pointer: `/${profile['version.name']}`, message: 'is required' };
  if (profile['request.unknownFields'] === 'ignore') return undefined;
  return { pointer: '/colour', message: 'is unknown; expected the name of a parameter' };
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
      message: isWhole ? 'is required' : 'is null, and a value is required',
    };
  const field = writable.find(({ type }) => type === 'int' || type === 'date' || type === 'manyToMany');
  if (!field) return undefined;
  const expected = { int: 'a whole number', date: 'a day such as 2025-10-22' }[field.type as 'int' | 'date'];
  return { pointer: `/${field.name}`, message: `is "many"; expected ${expected ?? 'a list'}` };
}
