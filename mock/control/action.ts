import type { Readable } from 'node:stream';
import type { Contract } from '../../spec/contract.ts';
import type { ForwardChange, Forwarding } from '../forwarding/forwarding.ts';
import type { ServedReply, WhenDone } from '../http/http.ts';
import type { FaultRule } from './faults/fault-rule.ts';
import type { RecordAccess } from './records/records.ts';
import type { LogReader } from './request-log/request-log-reader.ts';
import type { ActionSchema, Parameter } from './schema.ts';
import type { Session } from './sessions/session.ts';
import type { Sessions, Snapshots } from './sessions/sessions.ts';
import type { StateAccess } from './sessions/state.ts';

/** The forwarding of a mock, and of the replicas that share its store. */
export type ForwardControl = Pick<Forwarding, 'state'> & {
  /** Throws UsageError for an unknown model. */
  change(wanted: ForwardChange): Promise<void>;
};

export type ActionParts = {
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly state: StateAccess;
  readonly records: RecordAccess;
  readonly reader: LogReader;
  readonly contract: Contract;
  /** Returns a fault to add to a session. Throws UsageError. */
  readonly readFault: (rule: FaultRule) => FaultRule;
  /** Absent without the option `forward`. */
  readonly forward: ForwardControl | undefined;
  /** Rejects if the database does not respond. */
  readonly check: () => Promise<void>;
  readonly needMemory: () => void;
};

/** One action of the control API. The endpoint, its description, and the methods of a session derive from it. */
export type Action<Given = never, Result = unknown> = {
  /** The method, and the path below `/__mock`. Each variable, such as `{name}`, matches one segment. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  readonly summary: string;
  readonly query?: Readonly<Record<string, Parameter>>;
  /** The schema of the body. `given` has its members, the variables of the path, and the parameters. */
  readonly body?: ActionSchema;
  /** The member of `given` that is the whole body. If absent, `given` has the members of the body. */
  readonly bodyAs?: string;
  /** The descriptions by status, success first; with a schema where there is a body. */
  readonly answers: Readonly<Record<number, string | readonly [description: string, schema: ActionSchema]>>;
  /** Without a result the status is 204. */
  run(
    context: ActionParts & { readonly session: Session; readonly whenDone?: WhenDone },
    given: Given,
  ): Promise<Result>;
  /** Returns the body of the response as a stream, in place of the result of `run`, which the process would have whole. */
  stream?(context: ActionParts & { readonly session: Session }, given: Given): Promise<Readable>;
  /** Writes the response, which has the result as JSON when absent. */
  write?(result: Result): ServedReply;
};

/** Does an action for a session, in this process or remote. */
export type RunAction = <Given, Result>(action: Action<Given, Result>, given?: Given) => Promise<Result>;

export function routeOf({ route }: Pick<Action, 'route'>) {
  const [method = '', path = ''] = route.split(' ');
  return { method, path, variables: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name) };
}

export const WRONG_BODY = 'The body is invalid. Nothing has changed.';
