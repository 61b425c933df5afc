import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { LineRelations } from '../engine/relations.ts';

export type FixtureRecord = Readonly<Record<string, unknown>>;

export type Fixtures = ReadonlyMap<string, readonly FixtureRecord[]>;

/** A fixture as read: canonical values as the profile shows them. */
export type Seed = {
  readonly model: Model;
  readonly given: Record<string, Value>;
  readonly id: number;
  /** How messages call it, or a field of it: `club.yaml:4: warehouse 7`. Looking for the line takes time. */
  at(field?: string): string;
};

/** The options for reading fixtures. */
export type SeedSource = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
  readonly relations: LineRelations;
  /** Whether required fields that are missing are filled. */
  readonly lenient?: boolean | undefined;
  /** Whether there will be generated records of a model. */
  readonly isGenerated?: ((model: string) => boolean) | undefined;
  /** Where the images of the demo are; by default at DEFAULT_ORIGIN. */
  readonly origin?: string | undefined;
  /** Mistakes that were found before the records were read. */
  readonly mistakes?: readonly string[];
};

/** Returns the IDs of records, in their order: the given ones, and the next free ones for records without. */
export function numberRecords(records: readonly FixtureRecord[]): readonly unknown[] {
  let last = 0;
  for (const { id } of records) if (Number.isSafeInteger(id)) last = Math.max(last, Number(id));
  return records.map(({ id }) => {
    if (id !== undefined) return id;
    last += 1;
    return last;
  });
}
