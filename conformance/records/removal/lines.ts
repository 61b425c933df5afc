import type { Catalogue, Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isAccepted } from '../../api/answer.ts';
import type { Api } from '../../api/api.ts';
import { isId, isObject } from '../../api/places.ts';
import type { Ledger } from '../ledger.ts';
import { isMarked, type Made } from '../made.ts';

export type LineRemovalOptions = {
  readonly catalogue: Catalogue;
  readonly api: Api;
  readonly ledger: Ledger;
};

/** Takes away the lines of records, which have ids of their own. */
export type LineRemoval = {
  /** Removes those that stand in a record now; whether there were any. */
  remove(made: Made): Promise<boolean>;
  /** Removes those of deleted records that did not go with them. */
  removeOrphans(
    deleted: readonly Made[],
    isTargetGone: () => boolean,
    giveUp: (error: unknown) => 'left' | 'gone',
  ): Promise<void>;
};

export function createLineRemoval({ api, catalogue, ledger }: LineRemovalOptions): LineRemoval {
  return {
    async remove(made) {
      const { id, model } = made;
      if (id === undefined || !model.fields.some(lineModel)) return false;
      // As they are now: an update may have made them anew.
      const answer = await api.retrieve(model.name, id);
      const record = isAccepted(answer) ? api.recordIn(answer) : undefined;
      if (record) ledger.needSame(made, record);
      const lines = linesIn(model, record);
      for (const line of lines) {
        // It stands in a record of the run, also where a line that was deleted had its id.
        ledger.add(line);
        // Where they can't be deleted alone, the delete of the record they stand in tells.
        await api.delete(line.model.name, line.id);
      }
      return lines.length > 0;
    },
    async removeOrphans(deleted, isTargetGone, giveUp) {
      const areGone = new Set<Model>();
      for (const { model, shown } of deleted)
        for (const line of linesIn(model, shown)) {
          if (isTargetGone() || areGone.has(line.model)) continue;
          const left = await ledger.isThere(line).catch(giveUp);
          // Those of one record tell for all.
          if (left === undefined) areGone.add(line.model);
          else if (typeof left === 'object' && !isMarked(left))
            await api.delete(line.model.name, line.id).catch(giveUp);
        }
    },
  };

  /** The lines that a record in wire form shows with ids of their own. */
  function linesIn(model: Model, record: RecordValues = {}): Made[] {
    return model.fields.flatMap((field) => {
      const line = lineModel(field);
      if (!line) return [];
      const shown = [record[field.name] ?? []].flat().filter(isObject);
      return shown.flatMap((one) => (isId(one.id) ? [{ model: line, id: one.id, shown: one }] : []));
    });
  }

  function lineModel({ lines = '', readonly }: Field): Model | undefined {
    const line = readonly ? undefined : catalogue.models.get(lines);
    return line?.operations.includes('delete') ? line : undefined;
  }
}
