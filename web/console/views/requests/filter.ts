import { matches } from '../../../ui/text.ts';
import type { Entry } from './request-log.ts';

export const CONDITIONS = ['text', 'method', 'status', 'in', 'fault', 'violations', 'ms'] as const;
/** The conditions of the list, as the address of the view has them. */
export type Conditions = Readonly<Partial<Record<(typeof CONDITIONS)[number], string>>>;

export const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'dropped'] as const;

/** Returns a function that says whether an entry meets all conditions. */
export function meets(conditions: Conditions): (entry: Entry) => boolean {
  const { fault, in: session, method, ms, status, text = '', violations } = conditions;
  const least = Number(ms ?? 0);
  return (entry) => {
    if (method !== undefined && method !== entry.method) return false;
    if (session !== undefined && session !== entry.session) return false;
    if (status !== undefined && status !== statusClass(entry.status)) return false;
    if (fault !== undefined && (fault === 'any' ? entry.fault === undefined : fault !== entry.fault))
      return false;
    if (violations !== undefined && (entry.violations?.length ?? 0) === 0) return false;
    if (least > 0 && entry.ms < least) return false;
    return text === '' || matches(textsOf(entry), text);
  };
}

function textsOf({ detail, method, operation, path, violations = [], ...entry }: Entry) {
  const wrong = violations.flatMap((one) => Object.values(one).map(String));
  return [method, path, entry.request.query, operation, String(entry.status), detail, ...wrong];
}

export function statusClass(status: number): (typeof STATUSES)[number] {
  if (status === 0) return 'dropped';
  return STATUSES[Math.floor(status / 100) - 2] ?? '2xx';
}

/** The color of a status. */
export function tone(status: number): 'pass' | 'skip' | 'blocked' | 'fail' {
  if (status === 0 || status >= 500) return 'fail';
  if (status >= 400) return 'blocked';
  return status >= 300 ? 'skip' : 'pass';
}
