import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import type { NameCheck } from '../names.ts';
import { COUNT, given, type Parameter, TEXT } from '../schema.ts';
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

const MS = { type: 'number', minimum: 0 };
const MOMENT_OR_ID = { anyOf: [COUNT, TEXT] };

/** The filters as parameters of an endpoint. */
export const FILTERS: Readonly<Record<keyof JournalFilter, Parameter>> = {
  id: given('The ID of the request in the request log.', COUNT),
  method: given('The HTTP method, such as POST.', TEXT),
  path: given('The complete path without the query.', TEXT),
  model: given('The name of the model, such as brand.', TEXT),
  operation: given('An operationId such as createBrand, or an operation such as create.', TEXT),
  recordId: given('The ID of the record.', COUNT),
  status: given('The status of the response, or 0 if a fault dropped the connection.', COUNT),
  minMs: given('Minimum duration in milliseconds.', MS),
  maxMs: given('Maximum duration in milliseconds.', MS),
  body: given('Text in the body of the request or response, as the request log shows it.', TEXT),
  violation: given(
    'Text in the location or message of a violation. An empty value matches any violation.',
    TEXT,
  ),
  ignored: given('Text in the pointer of an ignored field. An empty value matches any ignored field.', TEXT),
  fault: given(
    'The ID of the fault that was applied, or prefer for one from the Prefer header. An empty value matches any fault.',
    TEXT,
  ),
  since: given('Only requests after this ID or time.', MOMENT_OR_ID),
  until: given('Only requests up to and including this ID, or before this time.', MOMENT_OR_ID),
};

/** Throws UsageError if a time is invalid, or a name is unknown. */
export function checkFilter(filter: JournalFilter, refuseUnknown: NameCheck): void {
  for (const name of ['since', 'until'] as const) {
    const moment = String(filter[name] ?? 0);
    if (!/^\d+$/.test(moment) && Number.isNaN(Date.parse(moment)))
      throw new UsageError(
        `${name} must be the ID of an exchange or a time, but is ${JSON.stringify(moment)}.`,
      );
  }
  refuseUnknown(filter, 'path');
  if (!/^\d*$/.test(filter.fault ?? '') && filter.fault !== 'prefer')
    throw new UsageError(unexpected('fault', filter.fault, ['prefer']));
}
