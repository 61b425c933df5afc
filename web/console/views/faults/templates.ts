import type { FaultRule } from '../../../../mock/control/faults/fault-rule.ts';

/** A kind of fault that the form offers, with its inputs. */
export type Template = {
  readonly name: string;
  readonly title: string;
  readonly inputs: readonly Input[];
  /** Returns the effect of the fault for the texts of the inputs. */
  readonly effect: (texts: Readonly<Record<string, string>>) => FaultRule;
};

type Input = {
  readonly name: string;
  readonly label: string;
  readonly begin: string;
  readonly min?: number;
  readonly max?: number;
};

const STATUS: Input = { name: 'status', label: 'Status', begin: '503', min: 200, max: 599 };
const DELAY: Input = { name: 'delay', label: 'Delay in ms', begin: '2000', min: 0, max: 600_000 };

export const TEMPLATES: readonly Template[] = [
  {
    name: 'error',
    title: 'Error',
    inputs: [STATUS],
    effect: ({ status }) => ({ status: Number(status) }),
  },
  {
    name: 'delay',
    title: 'Delay',
    inputs: [DELAY],
    effect: ({ delay }) => ({ delay: Number(delay) }),
  },
  {
    name: 'slow',
    title: 'Slow body',
    inputs: [{ name: 'bytes', label: 'Bytes per second', begin: '200', min: 1 }],
    effect: ({ bytes }) => ({ bytesPerSecond: Number(bytes) }),
  },
  {
    name: 'drop',
    title: 'Lost connection, nothing done',
    inputs: [],
    effect: () => ({ drop: 'before' }),
  },
  {
    name: 'drop-after',
    title: 'Lost connection, but done',
    inputs: [],
    effect: () => ({ drop: 'after' }),
  },
  {
    name: 'drop-body',
    title: 'Lost connection in the body',
    inputs: [],
    effect: () => ({ drop: 'mid-body' }),
  },
  {
    name: 'limit',
    title: 'Rate limit (429)',
    inputs: [{ name: 'after', label: 'Retry-After in seconds', begin: '30', min: 0 }],
    effect: ({ after = '' }) => ({ status: 429, headers: { 'retry-after': after } }),
  },
];

/** Describes a fault in words, such as `503 for createBrand, once`. */
export function describeFault(rule: FaultRule): string {
  const { bytesPerSecond, delay, drop, every, match = {}, nth, probability, status, times } = rule;
  const effects = [
    ...(status === undefined ? [] : [String(status)]),
    ...(status === undefined && rule.body !== undefined ? ['another body'] : []),
    ...(delay === undefined
      ? []
      : [typeof delay === 'number' ? `${delay} ms delay` : `${delay.min} to ${delay.max} ms delay`]),
    ...(bytesPerSecond === undefined ? [] : [`${bytesPerSecond} bytes per second`]),
    ...(drop === undefined
      ? []
      : [
          {
            before: 'lost connection',
            after: 'lost connection, but done',
            'mid-body': 'lost connection in the body',
          }[drop],
        ]),
  ];
  const places = Object.entries(match).map(([name, value]) =>
    name === 'operation' ? String(value) : `${name} ${value}`,
  );
  const limits = [
    ...(nth === undefined ? [] : [`only the ${ordinal(nth)} request`]),
    ...(every === undefined || every === 1 ? [] : [`each ${ordinal(every)} request`]),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(probability === undefined ? [] : [`${Math.round(probability * 100)} % of requests`]),
  ];
  return [`${effects.join(', ')} for ${places.join(', ') || 'all requests'}`, ...limits].join(', ');
}

/** Returns `2nd`. */
function ordinal(number: number): string {
  const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(number);
  return `${number}${endings[rule] ?? 'th'}`;
}
