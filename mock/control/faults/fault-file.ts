import { readYamlFile } from '../../../spec/files/yaml-file.ts';
import { createAjv } from '../../../spec/json-schema.ts';
import { describeErrors } from '../../operations/messages.ts';
import { FAULT_SCHEMA, type FaultRule, isEmptyFault } from './fault-rule.ts';

/** Reads a file with a list of faults. Throws UsageError with file and line. */
export function readFaultFile(path: string): FaultRule[] {
  const validate = createAjv({ allErrors: true, verbose: true, strict: false }).compile<FaultRule>(
    FAULT_SCHEMA,
  );
  return readYamlFile(path)
    .items()
    .map((item) => {
      const { fail, value } = item;
      if (!validate(value)) {
        const found = describeErrors(validate.errors ?? [], 'member');
        return fail(found.map(({ message, pointer }) => `${pointer || 'the fault'} ${message}`).join('; '));
      }
      return isEmptyFault(value) ? fail('the fault does nothing; expected an action such as status') : value;
    });
}
