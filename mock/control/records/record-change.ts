import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { ChangeKind } from './records-api.ts';

/** A record before and after a change; undefined if it did not exist. */
export type Image = {
  readonly model: string;
  readonly id: number;
  readonly before: RecordValues | undefined;
  readonly after: RecordValues | undefined;
};

/** Whether two versions of a record are the same. A database can change the form of a value, such as that of -0. */
export function isSame(one: RecordValues | undefined, other: RecordValues | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return one === other;
  return isDeepStrictEqual(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a function that says what happened to a record. A record that was marked as deleted counts as deleted. */
export function createChangeKinds({ models }: Catalogue): (image: Image) => ChangeKind {
  return ({ after, before, ...image }) => {
    const model = models.get(image.model);
    const isGone = (record: RecordValues | undefined) =>
      record === undefined || (model !== undefined && isDeleted(model, record));
    if (before === undefined) return 'created';
    return isGone(after) && !isGone(before) ? 'deleted' : 'changed';
  };
}
