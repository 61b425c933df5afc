import { CONTROL } from '../control/address.ts';
import { isDocumentPath } from '../operations/documents.ts';

/** Whether a path belongs to the mock where an app has the same origin. `base` is the path before the models. */
export function isOwnPath(path: string, base: string): boolean {
  return isDocumentPath(path) || [base, CONTROL].some((own) => `${path}/`.startsWith(`${own}/`));
}
