import { readAll } from '../../../spec/files/usage-error.ts';
import { readYamlFile } from '../../../spec/files/yaml-file.ts';
import { createAjv } from '../../../spec/json-schema.ts';
import { describeErrors } from '../../operations/messages.ts';
import { FAULT_SCHEMA, type FaultRule, isEmptyFault } from './fault-rule.ts';

/** Reads a file with a list of faults. Throws UsageError with file and line. */
export function readFaultFile(path: string): FaultRule[] {
  const validate = createAjv({ allErrors: true, verbose: true, strict: false }).compile<FaultRule>(
    FAULT_SCHEMA,
  );
  return readAll(readYamlFile(path).items(), ({ fail, value }) => {
    if (!validate(value))
      readAll(describeErrors(validate.errors ?? [], 'member'), ({ message, pointer }) =>
        fail(`${pointer || 'The fault'} ${message}`),
      );
    const fault = value as FaultRule;
    return isEmptyFault(fault) ? fail('The fault has no effect. Add an action, such as status.') : fault;
  });
}
