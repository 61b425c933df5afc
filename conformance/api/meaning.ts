import type { Catalogue, Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Exchange } from '../target/exchange.ts';
import { readJson } from './answer.ts';
import type { Call } from './api.ts';
import { isIntegerId, isObject } from './places.ts';

/** What a request asks for, in the words of section 4. */
export type Meaning = {
  readonly model: Model;
  /** `other` is a method that the record has no operation for, such as PUT. */
  readonly operation: Operation | 'other';
  /** Of the record in the path; undefined for a list and a create. */
  readonly id?: number;
  /** What is sent, in wire form; undefined where nothing is, or where it can't be read. */
  readonly sent?: RecordValues;
  /** The query of a list. */
  readonly query: Readonly<Record<string, string>>;
};

/** Undefined for a request that is about no model of the catalogue, or about no integer id. */
export function meaningOf({ models }: Catalogue, call: Call): Meaning | undefined {
  const { id, operation = 'other', request, sent } = call;
  const model = models.get(call.model ?? '');
  if (!model || (id !== undefined && !isIntegerId(id))) return undefined;
  const body = sent ?? readJson(request.body ?? '').json;
  return {
    model,
    operation,
    query: request.query ?? {},
    ...(id === undefined ? {} : { id: Number(id) }),
    ...(isObject(body) ? { sent: body } : {}),
  };
}

/** An answer, with what was asked. */
export type Seen = {
  readonly meaning: Meaning;
  /** `broken`: neither a yes nor a no. */
  readonly outcome: 'accepted' | 'refused' | 'broken';
  readonly status: number;
  /** The records that it shows, in wire form; undefined where it shows none in their place. */
  readonly records: readonly RecordValues[] | undefined;
  readonly exchange: Exchange | undefined;
  /** When it was asked and answered, counted in exchanges begun and ended. */
  readonly asked: number;
  readonly answered: number;
};
