import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import { readAll, UsageError } from '../../../spec/files/usage-error.ts';
import { readYamlFile } from '../../../spec/files/yaml-file.ts';
import { refuseName, SESSION_NAME } from '../address.ts';
import { createNameCheck, type NameCheck } from '../names.ts';
import { type FaultRule, mistakesIn } from './fault-rule.ts';

/** Returns a fault if it is valid. Throws UsageError if it is not, or if no request can match it. */
export function readFault(value: unknown, refuseUnknown: NameCheck): FaultRule {
  readAll(mistakesIn(value), (mistake) => {
    throw new UsageError(mistake);
  });
  const fault = value as FaultRule;
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

/** Reads a file with a list of faults. Throws UsageError with file and line. */
export function readFaultFile(path: string, catalogue: Catalogue): FaultRule[] {
  const refuseUnknown = createNameCheck(catalogue);
  return readAll(readYamlFile(path).items(), ({ fail, value }) => {
    try {
      return readFault(value, refuseUnknown);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      readAll(error.message.split('\n'), fail);
      throw error;
    }
  });
}
