import { UsageError } from '../../spec/files/usage-error.ts';

/** Returns the message of a UsageError. Throws any other error. */
export function complaintOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no complaint';
}
