import type { Contract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { ReadableRecords, Records } from '../store/store.ts';
import { type Change, createComputedFields } from './computed.ts';
import { type CheckedLinks, findCheckedLinks, findLineRelations, type LineRelations } from './links.ts';

/** The rules of a contract for records, shared by all sessions. */
export type RecordSemantics = {
  readonly profile: Profile;
  readonly relations: LineRelations;
  readonly computed: ReturnType<typeof createComputedFields>;
  readonly links: CheckedLinks;
  /** Whether a service has the records of a model now (option `forward`). Absent if it never has. */
  readonly isElsewhere?: ((model: string) => boolean) | undefined;
};

/** Records as they can be read. */
export type RecordReader = RecordSemantics & { readonly records: ReadableRecords };

/** One transaction: the records it changes, whose it is, and its time, which does not pass while it runs. */
export type UnitOfWork = RecordSemantics & Change & { readonly records: Records };

export function readSemantics(contract: Contract): RecordSemantics {
  const { catalogue, profile, references } = contract;
  return {
    profile,
    relations: findLineRelations(catalogue, references),
    computed: createComputedFields(catalogue, profile),
    links: findCheckedLinks(contract),
  };
}
