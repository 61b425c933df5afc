import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Engine, Invalid, ListQuery, OneRecord, UnknownRecord } from '../engine/engine.ts';
import { type Draft, describeViolation, MOST_VIOLATIONS, type Violation } from '../engine/violation.ts';
import type { Headers } from '../http/http.ts';
import { refuseVersion } from './access.ts';
import { type ReadDraft, readBody } from './body.ts';
import { show } from './messages.ts';
import type { QueryReader } from './query.ts';
import type { Replies, Reply } from './reply.ts';
import type { Endpoint } from './router.ts';

/** A request to an operation, as it came. */
export type Call = {
  readonly endpoint: Endpoint;
  /** Null when the path has an id that no record can have. */
  readonly id: number | null | undefined;
  readonly path: string;
  readonly headers: Headers;
  /** The query with its question mark; empty when there is none. */
  readonly search: string;
  readonly body: Uint8Array | undefined;
  /** The id of the user who asks, where it is known. */
  readonly user: number | undefined;
};

/** A request as read, with all that is wrong with it. */
export type Input = {
  readonly violations: readonly Violation[];
  readonly values?: RecordValues;
  readonly query?: ListQuery;
  /** Pointers of what was sent and ignored. */
  readonly ignored?: readonly string[] | undefined;
  /** Why the body can't be read. */
  readonly unparsable?: string;
};

/** Between HTTP and the engine: requests into canonical values, results into replies. */
export type OperationHandler = {
  read(call: Call): Input;
  /** Runs an operation; one whose input is wrong changes nothing and is refused. */
  run(call: Call, input: Input, engine: Engine): Promise<Reply>;
};

export type OperationOptions = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly queries: QueryReader;
  readonly readDraft: ReadDraft;
  readonly replies: Replies;
};

export function createOperationHandler(options: OperationOptions): OperationHandler {
  const { catalogue, profile, queries, readDraft, replies } = options;
  return { read, run };

  function read({ endpoint: { model, operation }, headers, search, body }: Call): Input {
    const ofVersion = refuseVersion(headers, search, profile, catalogue.version);
    if (operation === 'list') {
      const { query, violations } = queries.readList(model, search);
      return { query, violations: [...ofVersion, ...violations] };
    }
    const outside = [...ofVersion, ...queries.refuse(search)];
    if (operation !== 'create' && operation !== 'update') return { violations: outside };
    const sent = readBody(body, headers['content-type'], profile['request.encoding']);
    if (sent.kind === 'unparsable') return { violations: outside, unparsable: sent.detail };
    const { ignored, values, violations } = readDraft(model, operation, sent.fields);
    return { ignored, values, violations: outside.length === 0 ? violations : [...outside, ...violations] };
  }

  async function run(call: Call, input: Input, engine: Engine): Promise<Reply> {
    if (input.unparsable !== undefined)
      return replies.refusal({ status: profile['status.unparsable'], detail: input.unparsable });
    const { violations, values = {}, query = {} } = input;
    const { model, operation } = call.endpoint;
    switch (operation) {
      case 'list': {
        if (violations.length > 0) return refuse(call, { kind: 'invalid', violations });
        const { records, total } = await engine.list(model, query);
        return replies.records(model, records, total);
      }
      case 'create': {
        const result = await engine.create(model, { values, violations, user: call.user });
        if (result.kind !== 'record') return refuse(call, result);
        const location = `${catalogue.base}/${model.name}/${result.record.id}`;
        return replies.record(profile['status.created'], model, result.record, { location });
      }
      default: {
        const result = await runOnRecord(call, { values, violations, user: call.user }, engine);
        if (result.kind !== 'record') return refuse(call, result);
        if (operation === 'delete') return replies.deleted(model, result.record);
        if (operation === 'retrieve') return replies.retrieved(model, result.record);
        return replies.record(profile['status.updated'], model, result.record);
      }
    }
  }

  function refuse({ endpoint: { model }, id, path }: Call, result: UnknownRecord | Invalid): Reply {
    if (result.kind === 'unknown-record') {
      const detail = result.deleted
        ? `The ${model.name} record with the ID ${id} is deleted.`
        : typeof id === 'number'
          ? `There is no ${model.name} record with the ID ${id}.`
          : `The ID in the path must be an integer, but is ${show(path.split('/').at(-1))}.`;
      return replies.refusal({ status: profile['status.unknownRecord'], detail });
    }
    const violations = result.violations.slice(0, MOST_VIOLATIONS);
    const detail = violations.map((violation) => asSentence(describeViolation(violation))).join(' ');
    return replies.refusal({ status: profile['status.invalid'], detail: shorten(detail), violations });
  }
}

/** An unknown record is known as such before anything else is said of the request. */
async function runOnRecord(
  { endpoint: { model, operation }, id }: Call,
  draft: Draft,
  engine: Engine,
): Promise<OneRecord | UnknownRecord | Invalid> {
  if (typeof id !== 'number') return { kind: 'unknown-record' };
  if (operation === 'update') return engine.update(model, id, draft);
  const { user, violations } = draft;
  if (operation === 'delete' && violations.length === 0) return engine.delete(model, id, user);
  const found = await engine.retrieve(model, id);
  return found.kind === 'record' && violations.length > 0 ? { kind: 'invalid', violations } : found;
}

function asSentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}

function shorten(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
