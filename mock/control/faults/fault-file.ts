import { readAll } from '../../../spec/files/usage-error.ts';
import { readYamlFile } from '../../../spec/files/yaml-file.ts';
import { type FaultRule, mistakesIn } from './fault-rule.ts';

/** Reads a file with a list of faults. Throws UsageError with file and line. */
export function readFaultFile(path: string): FaultRule[] {
  return readAll(readYamlFile(path).items(), ({ fail, value }) => {
    readAll(mistakesIn(value), fail);
    return value as FaultRule;
  });
}
