import type { Profile } from '../../spec/profile/profile.ts';
import type { ForwardChange, Forwarding } from '../forwarding/forwarding.ts';
import type { ServedReply, WhenDone } from '../http/http.ts';
import type { FaultRule } from './faults/fault-rule.ts';
import type { Parameter } from './journal/journal-filter.ts';
import type { JournalReader } from './journal/journal-reader.ts';
import type { Session, Sessions } from './sessions/sessions.ts';
import type { Snapshots } from './sessions/snapshots.ts';
import type { StateAccess } from './sessions/state.ts';

export type Schema = Parameter['schema'];

/** The forwarding of a mock, and of the replicas that share its store. */
export type ForwardControl = Pick<Forwarding, 'adopt' | 'begun' | 'state'> & {
  /** Throws UsageError for an unknown model. */
  change(wanted: ForwardChange): Promise<void>;
};

/** The parts of a mock that actions use. */
export type ActionParts = {
  readonly sessions: Sessions;
  readonly snapshots: Snapshots;
  readonly state: StateAccess;
  readonly reader: JournalReader;
  readonly profile: Profile;
  readonly version: string;
  /** Returns the settings that differ from the default profile. */
  readonly describeProfile: () => readonly string[];
  /** Returns a fault to add to a session. Throws UsageError. */
  readonly readFault: (rule: FaultRule, session: string) => FaultRule;
  /** Absent without the option `forward`. */
  readonly forward: ForwardControl | undefined;
  /** Rejects if the database does not respond. */
  readonly check: () => Promise<void>;
};

/**
 * One action of the control API. The endpoint, its description in the OpenAPI document, and the methods of a session,
 * in the process or remote, derive from it.
 */
export type Action<Given = never, Result = unknown> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/__mock`. `{name}` or `{id}` matches one segment. */
  readonly path: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, Parameter>>;
  /** The schema of `given` if it is the body. Without one, `given` has the parameters of the path and the query. */
  readonly body?: Schema;
  /** By status, success first; a schema where there is a body. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema?: Schema }>>;
  /** Reads the texts of the query, which are `given` as they are when absent. */
  read?(texts: Readonly<Record<string, string>>): unknown;
  /** Without a result the status is 204. */
  run(
    context: ActionParts & { readonly session: Session; readonly whenDone?: WhenDone },
    given: Given,
  ): Promise<Result>;
  /** Writes the response, which has the result as JSON when absent. */
  write?(result: Result): ServedReply;
};
