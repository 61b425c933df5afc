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

type StartedWrite = Omit<LoggedWrite, 'at' | 'exchange'>;

/** The last writes, to say what may have changed a record that nobody wrote to. */
export type WriteLog = {
  /** The result is called once, when it has ended. */
  begin(write: StartedWrite): (at: number, exchange: Exchange | undefined) => void;
  /** The writes to models that ended since, the last one first. */
  since(at: number, wanted: (model: Model) => boolean): LoggedWrite[];
  /** The last write of each kind that ended since, or is under way, without those that are no operation. */
  kinds(at: number): LoggedWrite[];
  /** Whether a write to such a model ended since, or is under way. */
  isBusy(at: number, wanted: (model: Model) => boolean): boolean;
};

const MOST_WRITES = 2000;

export function createWriteLog(): WriteLog {
  const writes: LoggedWrite[] = [];
  const last = new Map<Model, number>();
  const underWay = new Set<StartedWrite>();
  const since = (at: number) => writes.filter((write) => write.at > at).toReversed();
  return {
    begin(write) {
      underWay.add(write);
      return (at, exchange) => {
        underWay.delete(write);
        last.set(write.model, at);
        writes.push({ ...write, at, exchange });
        if (writes.length > 2 * MOST_WRITES) writes.splice(0, MOST_WRITES);
      };
    },
    since: (at, wanted) => since(at).filter(({ model }) => wanted(model)),
    kinds(at) {
      const begun = [...underWay].map((write) => ({
        ...write,
        at: Number.POSITIVE_INFINITY,
        exchange: undefined,
      }));
      const kinds = new Map<string, LoggedWrite>();
      for (const write of [...since(at), ...begun]) {
        const kind = `${write.operation} ${write.model.name}`;
        if (write.operation !== 'other' && !kinds.has(kind)) kinds.set(kind, write);
      }
      return [...kinds.values()];
    },
    isBusy: (at, wanted) =>
      [...last].some(([model, ended]) => ended > at && wanted(model)) ||
      [...underWay].some(({ model }) => wanted(model)),
  };
}

/** Whether two writes are the same operation on one model. */
export function isOfKind(one: StartedWrite, other: StartedWrite): boolean {
  return one.operation === other.operation && one.model === other.model;
}
