import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import type { Answer } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import type { Id } from '../api/places.ts';
import type { BodyCheck } from '../assert/body-check.ts';
import { Blocked } from '../assert/failure.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { Book } from '../book/book.ts';
import type { Made } from '../book/identity.ts';
import type { Links } from './links/links.ts';
import type { Removal } from './removal.ts';
import type { FieldPolicy } from './values/values.ts';

/** A record that was made. */
export type MadeRecord = {
  readonly model: Model;
  readonly id: Id;
  /** The canonical values that were sent. */
  readonly sent: RecordValues;
  /** The answer to the create. */
  readonly answer: Answer;
};

/** A record that was made, in wire form, as the answer shows it. */
export type ShownRecord = MadeRecord & { readonly shown: RecordValues | undefined };

/** A valid record could not be made; with another model it may go. */
export class NotMade extends Blocked {
  override name = 'NotMade';
}

/** What all models share. */
export type RecordsCore = {
  readonly book: Book;
  readonly links: Links;
  readonly policy: FieldPolicy;
  readonly removal: Removal;
  /** What cases deleted themselves. */
  readonly deleted: Made[];
  /** Models of which a valid record was refused. */
  readonly refused: Set<Model>;
  readonly check: () => WireCheck;
  /** Throws when a body that should be valid is not. */
  readonly checkBody?: BodyCheck;
  /** Takes any id, wherever an answer shows it: the profile, which says where it stands, is not known yet. */
  readonly anyId?: boolean;
  readonly onMade?: (made: ShownRecord) => void;
  codec(profile: Profile): RecordCodec;
};

export type Owner = {
  readonly api: Api;
  /** Takes what is made. */
  readonly made: Made[];
  /** Others that hold what may be forgotten. */
  readonly others?: readonly Made[][];
  /** Values where none are given. */
  required(): RecordValues;
  /** The values, with new ones where each record may need its own. */
  fresh(values: RecordValues): RecordValues;
  /** The values with short texts; undefined where there is nothing to try. */
  shorter(values: RecordValues): RecordValues | undefined;
  /** Short texts did not help. */
  lengthen(): void;
};

/** A create that is not quite the one of the profile. */
export type OtherCreate = {
  /** The length of a text is what is asked: nothing shorter is sent in its place. */
  readonly asTold?: true;
  readonly settings?: Partial<Profile>;
  /** Members of the body beside the values, in wire form. */
  readonly more?: Readonly<Record<string, Value>>;
};
