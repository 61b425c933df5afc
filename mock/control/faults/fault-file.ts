import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import { readAll, UsageError } from '../../../spec/files/usage-error.ts';
import { readYamlFile } from '../../../spec/files/yaml-file.ts';
import { createNameCheck } from '../names.ts';
import type { FaultRule } from './fault-rule.ts';
import { readFault } from './read-fault.ts';

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
