import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Meaning } from './request-meaning.ts';

/** A write that was answered, or had its time. */
export type LoggedWrite = {
  readonly model: Model;
  readonly operation: Meaning['operation'];
  readonly id: number | undefined;
  readonly at: number;
  readonly exchange: Exchange | undefined;
};

/** The last writes, to say what may have changed a record that nobody wrote to. */
export type WriteLog = {
  begin(model: Model): void;
  end(write: LoggedWrite): void;
  /** The writes to models that ended since, the last one first. */
  since(at: number, wanted: (model: Model) => boolean): LoggedWrite[];
  /** Whether a write to such a model ended since, or is under way. */
  isBusy(at: number, wanted: (model: Model) => boolean): boolean;
};

const MOST_WRITES = 2000;

export function createWriteLog(): WriteLog {
  const writes: LoggedWrite[] = [];
  const last = new Map<Model, number>();
  const underWay = new Map<Model, number>();
  return {
    begin: (model) => void underWay.set(model, (underWay.get(model) ?? 0) + 1),
    end(write) {
      const { at, model } = write;
      underWay.set(model, (underWay.get(model) ?? 1) - 1);
      last.set(model, at);
      writes.push(write);
      if (writes.length > 2 * MOST_WRITES) writes.splice(0, MOST_WRITES);
    },
    since: (at, wanted) => writes.filter((write) => write.at > at && wanted(write.model)).toReversed(),
    isBusy: (at, wanted) =>
      [...last].some(([model, ended]) => ended > at && wanted(model)) ||
      [...underWay].some(([model, count]) => count > 0 && wanted(model)),
  };
}
