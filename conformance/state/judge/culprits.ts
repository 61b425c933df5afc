import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { KnownRecord } from '../known-record.ts';
import type { LoggedWrite, WriteLog } from '../write-log.ts';

/** The write that is the likeliest to have changed a record: to the same model, of the kind, the last one. */
export function likeliestWrite(
  log: WriteLog,
  { model }: KnownRecord,
  since: number,
  kind = 'update',
): LoggedWrite | undefined {
  const writes = log.since(since, () => true);
  const own = writes.filter((write) => write.model === model);
  const choose = (some: readonly LoggedWrite[]) =>
    some.find(({ operation }) => operation === kind) ??
    some.find(({ operation }) => ['update', 'delete'].includes(operation)) ??
    some[0];
  return choose(own) ?? choose(writes);
}

/** The last delete of the model of a record. */
export function deletionSince(log: WriteLog, record: KnownRecord, since: number): LoggedWrite | undefined {
  return log.since(since, (model) => model === record.model).find(({ operation }) => operation === 'delete');
}

/** Whether a record may be a line that went with its parent, or when the parent got other lines. */
export function wentWithParent(log: WriteLog, record: KnownRecord, since: number): boolean {
  const isParent = ({ fields }: Model) => fields.some(({ lines }) => lines === record.model.name);
  return log.since(since, isParent).some(({ operation }) => operation !== 'create');
}
