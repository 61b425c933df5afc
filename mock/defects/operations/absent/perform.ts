import type { Model } from '../../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../../spec/contract.ts';
import { createRecordCodec, type RecordValues } from '../../../../spec/wire/record-codec.ts';
import type { Service } from '../../../decoration.ts';
import type { Reply } from '../../../operations/reply.ts';
import { draftOf, isOne } from '../../on-engine.ts';
import { broken, type Call, operationOf } from '../../on-wire.ts';
import { sentIn } from '../../sent.ts';

/** Greater than any id that a service has given out. */
export const FAR = 1_000_000_000;

/** Does what was asked for with the engine, which knows every operation of every model. */
export async function perform(
  model: Model,
  call: Call,
  contract: Contract,
  service: Service,
): Promise<Reply> {
  const { engine, replies } = service;
  const { profile } = contract;
  const id = Number(call.id);
  switch (operationOf(call)) {
    case 'create': {
      const made = await engine.create(model, draftOf(valuesIn(model, call, contract)));
      return isOne(made) ? replies.record(profile['status.created'], model, made.record) : broken(service);
    }
    case 'update': {
      const changed = await engine.update(model, id, draftOf(valuesIn(model, call, contract)));
      return isOne(changed)
        ? replies.record(profile['status.updated'], model, changed.record)
        : broken(service);
    }
    case 'delete': {
      const gone = await engine.delete(model, id);
      return isOne(gone) ? replies.deleted(model, gone.record) : broken(service);
    }
    default: {
      const found = await engine.list(model, {});
      return replies.records(model, found.records, found.total);
    }
  }
}

function valuesIn(model: Model, call: Call, contract: Contract): RecordValues {
  const codec = createRecordCodec(contract.catalogue, contract.profile);
  try {
    return codec.decode(model.name, sentIn(call, contract) as RecordValues);
  } catch {
    return {};
  }
}

export function pathOf({ name, id }: Pick<Call, 'name' | 'id'>, { catalogue }: Contract): string {
  return `${catalogue.base}/${name}${id === undefined ? '' : `/${id}`}`;
}
