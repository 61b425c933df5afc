import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import type { NameCheck } from '../names.ts';
import { COUNT, given, type Parameter, type Schema, TEXT } from '../schema.ts';
import type { CatalogueNames } from '../shapes.ts';

/** Which exchanges are meant; all conditions have to hold. */
export type JournalFilter<Names extends CatalogueNames = CatalogueNames> = {
  /** The id of the exchange itself. */
  readonly id?: number;
  readonly method?: string;
  readonly path?: string;
  readonly model?: Names['model'];
  /** An `operationId` such as `createBrand`, or an operation such as `create`. */
  readonly operation?: Names['operation'];
  readonly recordId?: number;
  readonly status?: number;
  /** Milliseconds, these included. */
  readonly minMs?: number;
  readonly maxMs?: number;
  /** A text in the body of the request or of the answer, as the journal shows them. */
  readonly body?: string;
  /** A text in the place or the message of a violation; an empty one for any violation. */
  readonly violation?: string;
  /** A text in the pointer of a field that was ignored; an empty one for any. */
  readonly ignored?: string;
  /** The id of a fault; an empty text for any. */
  readonly fault?: string;
  /** The id of an entry, which has to come later, or a time. */
  readonly since?: number | string;
  /** The id of the last entry that is meant, or a time, which has to come later. */
  readonly until?: number | string;
};

type Kind = 'text' | 'count' | 'ms' | 'moment';

const KINDS: Readonly<Record<Kind, Schema>> = {
  text: TEXT,
  count: COUNT,
  ms: { type: 'number', minimum: 0 },
  moment: { anyOf: [COUNT, TEXT] },
};

const FILTERS: Readonly<Record<keyof JournalFilter, readonly [Kind, string]>> = {
  id: ['count', 'The ID of the request in the request log.'],
  method: ['text', 'The HTTP method, such as POST.'],
  path: ['text', 'The complete path without the query.'],
  model: ['text', 'The name of the model, such as brand.'],
  operation: ['text', 'An operationId such as createBrand, or an operation such as create.'],
  recordId: ['count', 'The ID of the record.'],
  status: ['count', 'The status of the response, or 0 if a fault dropped the connection.'],
  minMs: ['ms', 'Minimum duration in milliseconds.'],
  maxMs: ['ms', 'Maximum duration in milliseconds.'],
  body: ['text', 'Text in the body of the request or response, as the request log shows it.'],
  violation: [
    'text',
    'Text in the location or message of a violation. An empty value matches any violation.',
  ],
  ignored: ['text', 'Text in the pointer of an ignored field. An empty value matches any ignored field.'],
  fault: [
    'text',
    'The ID of the fault that was applied, or prefer for one from the Prefer header. An empty value matches any fault.',
  ],
  since: ['moment', 'Only requests after this ID or time.'],
  until: ['moment', 'Only requests up to and including this ID, or before this time.'],
};
const names = Object.keys(FILTERS) as (keyof JournalFilter)[];

/** The filters as parameters of an endpoint. */
export const FILTER_PARAMETERS: Readonly<Record<string, Parameter>> = Object.fromEntries(
  names.map((name) => [name, given(FILTERS[name][1], KINDS[FILTERS[name][0]])]),
);

/** Reads a filter of values or of texts. Throws UsageError if a value is invalid, or a name is unknown. */
export function readFilter(wanted: object, refuseUnknown: NameCheck): JournalFilter {
  const texts = new Map(
    Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  for (const name of texts.keys())
    if (!Object.hasOwn(FILTERS, name)) throw new UsageError(unexpected('filter', name, names));
  const filter: JournalFilter = Object.fromEntries(
    names.flatMap((name) => {
      const text = texts.get(name);
      return text === undefined ? [] : [[name, read(name, text)] as const];
    }),
  );
  refuseUnknown(filter, 'path');
  if (!/^\d*$/.test(filter.fault ?? '') && filter.fault !== 'prefer')
    throw new UsageError(unexpected('fault', filter.fault, ['prefer']));
  return filter;
}

function read(name: keyof JournalFilter, text: string): string | number {
  switch (FILTERS[name][0]) {
    case 'text':
      return text;
    case 'count':
      return readCount(name, text, Number.MAX_SAFE_INTEGER);
    case 'ms':
      if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
      throw refusal(name, text, 'a number of milliseconds');
    case 'moment':
      if (/^\d+$/.test(text)) return Number(text);
      if (Number.isNaN(Date.parse(text))) throw refusal(name, text, 'the ID of an exchange or a time');
      return text;
  }
}

/** Reads the sessions of a question: all, or only its own. Throws UsageError for another value. */
export function readSessions(value: unknown): 'all' | undefined {
  if (value === undefined || value === 'all') return value;
  throw new UsageError(unexpected('value', value, ['all'], 'of sessions'));
}

export function readCount(name: string, text: string, most: number): number {
  if (/^\d{1,16}$/.test(text) && Number(text) <= most) return Number(text);
  throw refusal(name, text, `a whole number from 0 to ${most}`);
}

function refusal(name: string, text: string, expected: string): UsageError {
  return new UsageError(`${name} must be ${expected}, but is ${JSON.stringify(text)}.`);
}
