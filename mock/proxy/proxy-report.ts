import type { ContractViolation } from '../prism/inspection.ts';
import type { ProxyExchange } from './proxy.ts';

/** Violations with the same code at the same place of one operation, at any position in a list. */
export type ViolationKind = {
  readonly place: string;
  readonly severity: ContractViolation['severity'];
  readonly message: string;
  readonly count: number;
};

export type ProxyTotals = {
  readonly exchanges: number;
  /** Exchanges with at least one violation of severity Error on that side. */
  readonly request: number;
  readonly response: number;
  /** Exchanges without a complete response of the service. */
  readonly failed: number;
};

export type ProxySummary = ProxyTotals & {
  /** By operation, the most violations first. `undefined` means requests that are not in the document. */
  readonly operations: readonly {
    readonly operation: string | undefined;
    readonly exchanges: number;
    readonly kinds: readonly ViolationKind[];
  }[];
};

type Counted = {
  exchanges: number;
  kinds: Map<string, { -readonly [Name in keyof ViolationKind]: ViolationKind[Name] }>;
};

/** Maximum number of kinds, because a service can return any number of unknown fields. */
const MOST_KINDS = 1000;

/** Counts exchanges and their violations. */
export function createProxyCounter() {
  const operations = new Map<string | undefined, Counted>();
  const totals = { exchanges: 0, request: 0, response: 0, failed: 0 };
  let kinds = 0;
  return { add, totals: (): ProxyTotals => ({ ...totals }), summary };

  function add({ failure, operation, violations }: ProxyExchange): void {
    totals.exchanges++;
    if (failure !== undefined) totals.failed++;
    for (const side of ['request', 'response'] as const)
      if (violations.some(({ location, severity }) => location[0] === side && severity === 'Error'))
        totals[side]++;
    const counted = operations.get(operation) ?? { exchanges: 0, kinds: new Map() };
    operations.set(operation, counted);
    counted.exchanges++;
    for (const violation of violations) count(counted, violation);
  }

  function count(counted: Counted, { location, message, severity }: ContractViolation): void {
    const general = location.map((name) => (/^\d+$/.test(name) ? '*' : name));
    const place = general.join('.');
    // Prism's message repeats the part of the place below `request.body`.
    const [at, everywhere] = [location.slice(2).join('.'), general.slice(2).join('.')];
    const said = at === '' ? message : message.replace(at, () => everywhere);
    const key = `${severity} ${place} ${said}`;
    const known = counted.kinds.get(key);
    if (known) known.count++;
    else if (kinds < MOST_KINDS) {
      kinds++;
      counted.kinds.set(key, { place, severity, message: said, count: 1 });
    }
  }

  function summary(): ProxySummary {
    const listed = [...operations].map(([operation, { exchanges, kinds: ofOperation }]) => ({
      operation,
      exchanges,
      kinds: [...ofOperation.values()].toSorted((one, other) => other.count - one.count),
    }));
    const sum = ({ kinds: all }: { kinds: readonly ViolationKind[] }) =>
      all.reduce((total, { count }) => total + count, 0);
    return { ...totals, operations: listed.toSorted((one, other) => sum(other) - sum(one)) };
  }
}

/** Renders an exchange as text: the request with the status, then each violation. */
export function renderExchange({ failure, method, path, status, violations }: ProxyExchange): string {
  const lines = violations.map(
    ({ location, message, severity }) => `  ${severity.toLowerCase()} ${location.join('.')}: ${message}`,
  );
  const head = `${method} ${path} ${status}${failure === undefined ? '' : ` ${failure}`}`;
  return [head, ...lines].map(toPlainText).join('\n');
}

/** Renders the totals in one line. */
export function renderProxyTotals({ exchanges, failed, request, response }: ProxyTotals): string {
  const invalid = `${plural(request, 'invalid request')}, ${plural(response, 'invalid response')}`;
  const lost = failed > 0 ? `, ${failed} without a complete response` : '';
  return `${plural(exchanges, 'exchange')}: ${invalid}${lost}`;
}

/** Renders the totals, then the violations by operation and kind. */
export function renderProxySummary(summary: ProxySummary): string {
  const lines = summary.operations
    .filter(({ kinds }) => kinds.length > 0)
    .flatMap(({ exchanges, kinds, operation }) => [
      `${operation ?? 'not in the document'} (${plural(exchanges, 'exchange')})`,
      ...kinds.map(
        ({ count, message, place, severity }) =>
          `  ${count} × ${severity.toLowerCase()} ${place}: ${message}`,
      ),
    ]);
  return [renderProxyTotals(summary), ...lines].map(toPlainText).join('\n');
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Shows the control characters of a line that contains text from others, because a terminal would obey them. */
export function toPlainText(line: string): string {
  return line.replace(
    /\p{Cc}|\p{Cf}/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
