import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import { isAccepted } from '../../api/answer.ts';
import type { Api } from '../../api/api.ts';
import { fetchList } from '../../api/listing.ts';
import { Skip } from '../../assert/failure.ts';
import type { Ledger } from '../ledger.ts';
import { holdsLines, isMarked, type Made } from '../made.ts';

export type LineRemovalOptions = {
  readonly catalogue: Catalogue;
  readonly api: Api;
  readonly ledger: Ledger;
};

/** Takes away the lines of records, which have ids of their own. */
export type LineRemoval = {
  /** Removes those that stand in a record now; whether there were any. */
  remove(made: Made): Promise<boolean>;
  /** Returns those that any record of the run has shown and that are still there, oldest first. */
  findOrphans(): Promise<Made[]>;
};

export function createLineRemoval({ api, catalogue, ledger }: LineRemovalOptions): LineRemoval {
  return {
    async remove(made) {
      const { id, model } = made;
      if (id === undefined || !holdsLines(catalogue, model)) return false;
      // As they are now: an update may have made them anew.
      const answer = await api.retrieve(model.name, id);
      const record = isAccepted(answer) ? api.recordIn(answer) : undefined;
      if (record) ledger.needSame(made, record);
      const lines = record ? await ledger.linesOf(made, record) : [];
      for (const line of lines) {
        // It stands in a record of the run, also where a line that was deleted had its id.
        ledger.add(line);
        // Where they can't be deleted alone, the delete of the record they stand in tells.
        await api.delete(line.model.name, line.id);
      }
      return lines.length > 0;
    },
    async findOrphans() {
      const orphans: Made[] = [];
      for (const [model, lines] of ledger.lines()) {
        const listing = model.operations.includes('list') ? await fetchList(api, model.name) : undefined;
        const listed = listing?.complete ? new Set(listing.records.map(({ id }) => String(id))) : undefined;
        for (const line of lines) {
          if (listed && !listed.has(String(line.id))) continue;
          const left = await ledger.isThere(line).catch(toUnclear);
          // Without a list, one tells for all.
          if (!listed && !left) break;
          if (left === 'unclear' || (left && !isMarked(line.model, left))) orphans.push(line);
        }
      }
      return orphans;
    },
  };
}

function toUnclear(error: unknown): 'unclear' {
  if (error instanceof Skip) return 'unclear';
  throw error;
}
