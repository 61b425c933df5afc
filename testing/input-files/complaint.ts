import { UsageError } from '../../spec/files/usage-error.ts';

/** Returns the message of an error of this kind. Throws any other error. */
export function complaintOf(read: () => unknown, kind: new (text: string) => Error = UsageError): string {
  try {
    read();
  } catch (error) {
    if (error instanceof kind) return error.message;
    throw error;
  }
  return 'no complaint';
}
