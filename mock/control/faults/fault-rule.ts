import type { CatalogueNames } from '../shapes.ts';

export type Drop = 'before' | 'after' | 'mid-body';

/** What a user asks to go wrong, and with which requests. */
export type FaultRule<Names extends CatalogueNames = CatalogueNames> = {
  /** All of what is named has to hold. `path` may have `*` for anything; `operation` is `createBrand` or `create`. */
  readonly match?: {
    readonly method?: string;
    readonly path?: string;
    readonly model?: Names['model'];
    readonly operation?: Names['operation'];
    readonly id?: number;
    /** Of use in the rules that every session begins with; the shared one is `default`. */
    readonly session?: string;
  };
  /** What is answered instead: nothing is done. Without a body it is the error form of the profile. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Milliseconds before anything is done; a range is drawn from. */
  readonly delay?: number | { readonly min: number; readonly max: number };
  /** Closes the connection before anything is done, after it was done, or in the middle of the answer. */
  readonly drop?: Drop;
  readonly bytesPerSecond?: number;
  /** Only the nth request that matches, from 1. */
  readonly nth?: number;
  /** At most so many requests. */
  readonly times?: number;
  /** From 0 to 1, of the requests that match. */
  readonly probability?: number;
};

/** Maximum delay in milliseconds. */
export const LONGEST_DELAY = 600_000;
const delay = { type: 'integer', minimum: 0, maximum: LONGEST_DELAY };

/** The form of a rule as JSON Schema, for the document of the control plane and for what is sent to it. */
export const FAULT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    match: {
      type: 'object',
      additionalProperties: false,
      properties: {
        method: { type: 'string' },
        path: { type: 'string' },
        model: { type: 'string' },
        operation: { type: 'string' },
        id: { type: 'integer' },
        session: { type: 'string' },
      },
    },
    status: { type: 'integer', minimum: 200, maximum: 599 },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: {},
    delay: {
      anyOf: [
        delay,
        {
          type: 'object',
          additionalProperties: false,
          required: ['min', 'max'],
          properties: { min: delay, max: delay },
        },
      ],
    },
    drop: { type: 'string', enum: ['before', 'after', 'mid-body'] },
    bytesPerSecond: { type: 'integer', minimum: 1 },
    nth: { type: 'integer', minimum: 1 },
    times: { type: 'integer', minimum: 1 },
    probability: { type: 'number', minimum: 0, maximum: 1 },
  },
} as const;

/** A fault that does nothing is a mistake. */
export function isEmptyFault({ body, bytesPerSecond, delay, drop, status }: FaultRule): boolean {
  return [body, bytesPerSecond, delay, drop, status].every((action) => action === undefined);
}
