import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../spec/contract.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Invalid, OneRecord, UnknownRecord } from '../../engine/engine.ts';
import type { Draft, Violation } from '../../engine/violation.ts';
import { DEEPEST_JSON, isDeeper, TOO_DEEP } from '../../operations/body.ts';
import type { createValueValidators } from '../../operations/validators.ts';
import type { Session } from './sessions.ts';

/** Records of one model in the form of fixtures; what is done to them has all its effects. */
export type RecordsApi<Shape extends object> = {
  list(): Promise<readonly (Shape & { readonly id: number })[]>;
  get(id: number): Promise<(Shape & { readonly id: number }) | undefined>;
  /** Rejects with UsageError for values that do not fit, as `update` does. */
  create(values: Partial<Shape>): Promise<Shape & { readonly id: number }>;
  /** Changes the values that are given. Rejects with UsageError where there is no such record. */
  update(id: number, values: Partial<Shape>): Promise<Shape & { readonly id: number }>;
  delete(id: number): Promise<void>;
};

type Shown = Record<string, Value> & { readonly id: number };

/** Throws UsageError for a model that there is not. */
export function createRecordsApi(
  { catalogue }: Contract,
  validate: ReturnType<typeof createValueValidators>,
  name: string,
  open: () => Promise<Session>,
): RecordsApi<Record<string, unknown>> {
  const found = catalogue.models.get(name);
  if (!found) throw new UsageError(unexpected('model', name, [...catalogue.models.keys()]));
  const model = found;
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  const show = (record: RecordValues) => codec.encode(name, record) as Shown;
  return {
    list: async () => (await (await open()).engine.list(model, {})).records.map(show),
    get: async (id) => {
      const result = await (await open()).engine.retrieve(model, id);
      return result.kind === 'record' ? show(result.record) : undefined;
    },
    create: async (values) => {
      const draft = readDraft(
        values,
        model.fields.filter((field) => field.required && !field.readonly),
      );
      return show(recordOf(await (await open()).engine.create(model, draft), model));
    },
    update: async (id, values) =>
      show(recordOf(await (await open()).engine.update(model, id, readDraft(values, [])), model)),
    delete: async (id) => {
      recordOf(await (await open()).engine.delete(model, id), model);
    },
  };

  function readDraft(given: object, required: Model['fields']): Draft {
    if (isDeeper(given, DEEPEST_JSON)) throw new UsageError(`The ${name} ${TOO_DEEP}`);
    const writable = model.fields.filter((field) => !field.readonly);
    const violations: Violation[] = [];
    for (const [member, value] of Object.entries(given)) {
      const field = writable.find((one) => one.name === member);
      if (!field)
        throw new UsageError(
          unexpected(
            'field',
            member,
            writable.map((one) => one.name),
            `of ${name}`,
          ),
        );
      if (value === null || field.lines !== undefined) continue;
      for (const { message, pointer } of validate(field, value))
        violations.push({ pointer: `/${member}${pointer}`, message });
    }
    for (const field of required)
      if ((given as RecordValues)[field.name] === undefined)
        violations.push({ pointer: `/${field.name}`, message: 'is required' });
    return violations.length > 0
      ? { values: {}, violations }
      : { values: codec.decode(name, given as RecordValues), violations };
  }
}

function recordOf(result: OneRecord | UnknownRecord | Invalid, { name }: Model): RecordValues {
  switch (result.kind) {
    case 'record':
      return result.record;
    case 'unknown-record':
      throw new UsageError(`There is no ${name} with this ID.`);
    case 'invalid':
      throw new UsageError(
        `The ${name} is invalid: ${result.violations.map(({ message, pointer }) => `${pointer} ${message}`).join('; ')}`,
      );
  }
}
