import { UsageError } from '../../spec/files/usage-error.ts';

/** What a user is told about a mistake; any other error is thrown on. */
export function complaintOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no complaint';
}
