import type { ContractDocument } from '../generator/generate.ts';
import type { Profile } from '../spec/profile/profile.ts';
import type { ActionParts } from './control/action.ts';
import type { SessionApi } from './control/sessions/session-api.ts';
import type { Decoration, Handle } from './decoration.ts';
import type { Answer, MockRequest, WhenDone } from './http/http.ts';
import type { Listening, ListenOptions, Served } from './http/server.ts';
import type { Beginning } from './start-records.ts';

/** A running mock. Its own methods act on the shared session. */
export type Mock = SessionApi &
  Omit<Beginning, 'records'> & {
    /** Answers a request without a port, the control plane and the sessions too. */
    fetch(request: Request): Promise<Response>;
    /** The same without the objects of the Fetch standard, which cost more than all the rest. Never rejects. */
    handle(request: MockRequest, whenDone?: WhenDone): Promise<Answer>;
    /** Answers a request to the contract for the shared session, without faults and journal. Never rejects. */
    readonly answer: Handle;
    /** The isolated session of a name, made when it is first used. */
    session(name: string): SessionApi;
    /** The parts that a mock in place of this one takes over (`carryOver`). */
    readonly parts: MockParts;
    /** The names of the sessions. The shared one comes first. */
    sessions(): Promise<readonly string[]>;
    /** Serves the mock over HTTP; without a port on a free one of 127.0.0.1. */
    listen(options?: Partial<ListenOptions>): Promise<Listening>;
    /** Stops listening, and closes the file or database of `data`. The mock does not answer after that. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    readonly document: ContractDocument;
    /** The path before the models, such as `/api/model`. */
    readonly base: string;
    /** Whether a path belongs to the mock where an app has the same origin. */
    serves(path: string): boolean;
    readonly counts: { readonly models: number; readonly operations: number; readonly records: number };
    readonly profile: Profile;
    readonly bodyLimit: Served['bodyLimit'];
    /** Writes what the server refuses before there is a request, in the form of the profile. */
    readonly refuse: Served['refuse'];
    /** The same service once more: with the records this one began with, and the given decoration or none. */
    fork(decoration?: Decoration): Promise<Mock>;
  };

export type MockParts = Pick<ActionParts, 'sessions' | 'snapshots' | 'state' | 'forward'>;
