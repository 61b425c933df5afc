import type { Catalogue } from '../spec/catalogue/catalogue.ts';
import type { Profile } from '../spec/profile/profile.ts';
import type { References } from '../spec/references.ts';
import type { RecordCodec } from '../spec/wire/record-codec.ts';

/** What a document is made of: stated facts, assumptions, inferred links, and the codec that follows from them. */
export type Sources = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
  readonly codec: RecordCodec;
};
