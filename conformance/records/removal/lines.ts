import type { Catalogue, Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isAccepted } from '../../api/answer.ts';
import type { Api } from '../../api/api.ts';
import { isId, isObject } from '../../api/places.ts';
import { isGone } from '../ids.ts';
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
  /** The same before the record is deleted, unless they are known to go with it; gives those to look for after it. */
  removeBefore(made: Made): Promise<readonly Made[]>;
  /** A record was deleted before its lines: those of the first one tell whether they go with it. */
  removeAfter(made: Made, lines: readonly Made[]): Promise<void>;
  /** Removes those of deleted records that did not go with them. */
  removeOrphans(
    deleted: readonly Made[],
    isTargetGone: () => boolean,
    giveUp: (error: unknown) => 'left' | 'gone',
  ): Promise<void>;
};

export function createLineRemoval({ api, catalogue, ledger }: LineRemovalOptions): LineRemoval {
  /** Whether the lines of a model go with the records that they stand in. */
  const goAlong = new Map<Model, boolean>();
  return {
    remove,
    async removeBefore(made) {
      const isKnown = goAlong.get(made.model);
      if (isKnown === undefined) return linesNow(made);
      if (!isKnown) await remove(made);
      return [];
    },
    async removeAfter({ model }, lines) {
      const [first] = lines;
      if (!first) return;
      const canTell = first.model.operations.includes('retrieve');
      const answer = canTell ? await api.retrieve(first.model.name, first.id) : undefined;
      const left = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
      const isLeft = left ? !isMarked(left) : !answer || !isGone(answer);
      goAlong.set(model, !isLeft);
      if (isLeft) await removeEach(lines);
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

  async function remove(made: Made): Promise<boolean> {
    // They keep a record from being deleted, or it is not known that they don't.
    goAlong.set(made.model, false);
    const lines = await linesNow(made);
    await removeEach(lines);
    return lines.length > 0;
  }

  async function removeEach(lines: readonly Made[]): Promise<void> {
    for (const line of lines) {
      // It stands in a record of the run, also where a line that was deleted had its id.
      ledger.add(line);
      // Where they can't be deleted alone, the delete of the record they stand in tells.
      await api.delete(line.model.name, line.id);
    }
  }

  /** As they are now: an update may have made them anew. */
  async function linesNow(made: Made): Promise<Made[]> {
    const { id, model } = made;
    if (id === undefined || !model.fields.some(lineModel)) return [];
    const answer = await api.retrieve(model.name, id);
    const record = isAccepted(answer) ? api.recordIn(answer) : undefined;
    if (record) ledger.needSame(made, record);
    return linesIn(model, record);
  }

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
