import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import type { ApiResponse, Id } from '../api/answer.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { Links } from './links/links.ts';
import type { Registry } from './registry.ts';
import type { Removal } from './removal.ts';
import type { FieldPolicy } from './values/values.ts';

/** A created record. */
export type MadeRecord = {
  readonly model: Model;
  readonly id: Id;
  /** The values of the create, in canonical form. */
  readonly sent: RecordValues;
  /** The response to the create. */
  readonly answer: ApiResponse;
};

/** A created record with its values in the response, in wire form. */
export type ShownRecord = MadeRecord & { readonly shown: RecordValues | undefined };

/** The parts that all models share. */
export type RecordsCore = {
  readonly links: Links;
  readonly policy: FieldPolicy;
  readonly registry: Registry;
  readonly removal: Removal;
  /** Models for which the target refused a valid record. */
  readonly refused: Set<Model>;
  /** The models whose exceptions hold only for responses. Requests have the usual forms of the service. */
  readonly usualForms: Set<string>;
  readonly check: () => WireCheck;
  /** Accepts an ID anywhere in a response, while learning does not know its place. */
  readonly anyId?: boolean;
  readonly onMade?: (made: ShownRecord) => void;
  codec(profile: Profile): RecordCodec;
};
