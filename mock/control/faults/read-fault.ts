import type { ValidateFunction } from 'ajv/dist/2020.js';
import { readAll, UsageError } from '../../../spec/files/usage-error.ts';
import { createAjv } from '../../../spec/json-schema.ts';
import { describeErrors } from '../../operations/messages.ts';
import { refuseName, SESSION_NAME } from '../address.ts';
import type { NameCheck } from '../names.ts';
import { FAULT_SCHEMA, type FaultRule, isEmptyFault } from './fault-rule.ts';

let validate: ValidateFunction<FaultRule> | undefined;

/** Returns a fault if it is valid. Throws UsageError if it is not, or if no request can match it. */
export function readFault(value: unknown, refuseUnknown: NameCheck): FaultRule {
  validate ??= createAjv({ allErrors: true, verbose: true, strict: false }).compile<FaultRule>(FAULT_SCHEMA);
  if (!validate(value)) {
    readAll(describeErrors(validate.errors ?? [], 'member'), ({ message, pointer }) => {
      throw new UsageError(`${pointer || 'The fault'} ${message}`);
    });
  }
  const fault = value as FaultRule;
  if (isEmptyFault(fault))
    throw new UsageError('The fault has no effect. Add status, body, delay, drop, or bytesPerSecond.');
  const { match = {} } = fault;
  refuseUnknown(match, 'pattern');
  if (match.session !== undefined && !SESSION_NAME.test(match.session))
    throw new UsageError(refuseName(match.session));
  return fault;
}

/** Returns a fault to add to a session. Throws UsageError also if it is for another session. */
export function readOwnFault(value: unknown, session: string, refuseUnknown: NameCheck): FaultRule {
  const fault = readFault(value, refuseUnknown);
  const named = fault.match?.session ?? session;
  if (named === session) return fault;
  throw new UsageError(
    `A fault of the session "${session}" never matches the session "${named}". Add it to that session.`,
  );
}
