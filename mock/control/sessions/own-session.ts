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
import type { ActionParts } from '../action.ts';
import { refuseName, SESSION_NAME, SHARED } from '../address.ts';
import { type RecordsApi, type SessionApi, sessionMethods } from './session-api.ts';
import type { Session } from './sessions.ts';

/** A session of a mock in this process. Throws UsageError for a name that no session can have. */
export function createOwnSession(
  name: string,
  options: {
    readonly contract: Contract;
    readonly parts: ActionParts;
    /** Checks values in the form of fixtures. */
    readonly validate: ReturnType<typeof createValueValidators>;
    readonly fetch: (request: Request) => Promise<Response>;
  },
): SessionApi {
  const { contract, parts, validate } = options;
  const { sessions } = parts;
  if (!SESSION_NAME.test(name)) throw new UsageError(refuseName(name));
  return {
    ...sessionMethods(async (action, given) =>
      action.run({ ...parts, session: await sessions.use(name) }, given as never),
    ),
    records: <Shape extends object>(model: string) =>
      createRecordsApi(contract, validate, model, () => sessions.use(name)) as RecordsApi<Shape>,
    delete: async () => {
      if (name === SHARED) throw new UsageError("The shared session can't be deleted. Reset it instead.");
      await sessions.delete(name);
    },
    fetch: (request) => {
      const own = new Request(request);
      own.headers.set('x-mock-session', name);
      return options.fetch(own);
    },
  };
}

/** Throws UsageError for a model that there is not. */
function createRecordsApi(
  { catalogue }: Contract,
  validate: ReturnType<typeof createValueValidators>,
  name: string,
  open: () => Promise<Session>,
): RecordsApi<Record<string, unknown>> {
  const found = catalogue.models.get(name);
  if (!found) throw new UsageError(unexpected('model', name, [...catalogue.models.keys()]));
  const model = found;
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  const show = (record: RecordValues) =>
    codec.encode(name, record) as Record<string, Value> & { readonly id: number };
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
