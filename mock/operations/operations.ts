import type { Catalogue, Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Engine, Invalid, ListQuery, OneRecord, UnknownRecord } from '../engine/engine.ts';
import type { Access, Headers } from './access.ts';
import { readBody } from './body.ts';
import type { ReadDraft } from './draft.ts';
import type { QueryReader } from './query.ts';
import type { Replies, Reply } from './reply.ts';
import type { Violation } from './violation.ts';

/** One request to an operation of a model. */
export type Call = {
  readonly model: Model;
  readonly operation: Operation;
  /** Null when the path has an id that no record can have. */
  readonly id: number | null | undefined;
  readonly headers: Headers;
  /** The query with its question mark; empty when there is none. */
  readonly search: string;
  readonly body: Uint8Array | undefined;
  /** What the check found; set by `check`. */
  checked?: Checked;
};

/** A request as read, with all that is wrong with it. */
type Checked = {
  readonly violations: readonly Violation[];
  readonly values?: RecordValues;
  readonly query?: ListQuery;
  /** Why the body can't be read. */
  readonly unparsable?: string;
};

export type Answering = {
  /** Reads and checks a request; false when something is wrong with it. */
  check(call: Call): boolean;
  /** Answers a request that was checked. */
  forward(call: Call): Promise<Reply>;
};

export type AnsweringOptions = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly access: Access;
  readonly queries: QueryReader;
  readonly readDraft: ReadDraft;
  readonly engine: Engine;
  readonly replies: Replies;
};

/** Between HTTP and the engine: requests into canonical values, results into answers. */
export function createAnswering(options: AnsweringOptions): Answering {
  const { profile, access, queries, readDraft, engine, replies } = options;
  return {
    check: (call) => {
      call.checked = check(call);
      return call.checked.violations.length === 0 && call.checked.unparsable === undefined;
    },
    forward: async (call) => {
      const checked = call.checked ?? check(call);
      const { unparsable } = checked;
      if (unparsable !== undefined)
        return replies.refusal({ status: profile['status.unparsable'], detail: unparsable });
      return run(call, checked);
    },
  };

  function check({ model, operation, headers, search, body }: Call): Checked {
    const ofVersion = access.refuseVersion(headers, search);
    if (operation === 'list') {
      const { query, violations } = queries.readList(model, search);
      return { query, violations: [...ofVersion, ...violations] };
    }
    const outside = [...ofVersion, ...queries.refuse(search)];
    if (operation !== 'create' && operation !== 'update') return { violations: outside };
    const read = readBody(body, headers['content-type'], profile['request.encoding']);
    if (read.kind === 'unparsable') return { violations: outside, unparsable: read.detail };
    const { values, violations } = readDraft(model, operation, read.fields);
    return { values, violations: outside.length === 0 ? violations : [...outside, ...violations] };
  }

  async function run(call: Call, { violations, values = {}, query = {} }: Checked): Promise<Reply> {
    const { model, operation, id } = call;
    if (operation === 'list') {
      if (violations.length > 0) return refuse({ kind: 'invalid', violations }, call);
      const { records, total } = await engine.list(model, query);
      return replies.records(model, records, total);
    }
    if (operation === 'create') {
      const result = await engine.create(model, { values, violations });
      if (result.kind !== 'record') return refuse(result, call);
      const location = `${options.catalogue.base}/${model.name}/${result.record.id}`;
      return replies.record(profile['status.created'], model, result.record, { location });
    }
    if (typeof id !== 'number') return refuse({ kind: 'unknown-record' }, call);
    const result =
      operation === 'update'
        ? await engine.update(model, id, { values, violations })
        : await readOrDelete(operation, model, id, violations);
    if (result.kind !== 'record') return refuse(result, call);
    if (operation === 'delete') return replies.deleted(model, result.record);
    return replies.record(operation === 'update' ? profile['status.updated'] : 200, model, result.record);
  }

  /** An unknown record is known as such before anything else is said of the request. */
  async function readOrDelete(
    operation: 'retrieve' | 'delete',
    model: Model,
    id: number,
    violations: readonly Violation[],
  ): Promise<OneRecord | UnknownRecord | Invalid> {
    if (operation === 'delete' && violations.length === 0) return engine.delete(model, id);
    const found = await engine.retrieve(model, id);
    return found.kind === 'record' && violations.length > 0 ? { kind: 'invalid', violations } : found;
  }

  function refuse(result: UnknownRecord | Invalid, { model, id }: Call): Reply {
    if (result.kind === 'unknown-record') {
      const detail = `There is no ${model.name} with ${typeof id === 'number' ? `the id ${id}` : 'such an id; expected a whole number'}.`;
      return replies.refusal({ status: profile['status.unknownRecord'], detail });
    }
    const { violations } = result;
    const detail = violations.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
    return replies.refusal({ status: profile['status.invalid'], detail: shorten(detail), violations });
  }
}

function shorten(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
