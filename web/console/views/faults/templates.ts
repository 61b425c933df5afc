import type { FaultRule } from '../../../../mock/control/faults/fault-rule.ts';
import type { InputProps } from '../../../ui/input.tsx';

/** A kind of fault that the form offers. */
export type Template = {
  readonly name: string;
  readonly title: string;
  /** The number that it needs. */
  readonly input?: { readonly label: string; readonly begin: string } & Pick<InputProps, 'min' | 'max'>;
  /** Returns the effect of the fault for the text of the input. */
  readonly effect: (text: string) => FaultRule;
};

export const TEMPLATES: readonly [Template, ...Template[]] = [
  {
    name: 'error',
    title: 'Error',
    input: { label: 'Status', begin: '503', min: 200, max: 599 },
    effect: (text) => ({ status: Number(text) }),
  },
  {
    name: 'delay',
    title: 'Delay',
    input: { label: 'Delay in ms', begin: '2000', min: 0, max: 600_000 },
    effect: (text) => ({ delay: Number(text) }),
  },
  {
    name: 'slow',
    title: 'Slow body',
    input: { label: 'Bytes per second', begin: '200', min: 1 },
    effect: (text) => ({ bytesPerSecond: Number(text) }),
  },
  { name: 'drop', title: 'Lost connection, nothing done', effect: () => ({ drop: 'before' }) },
  { name: 'drop-after', title: 'Lost connection, but done', effect: () => ({ drop: 'after' }) },
  { name: 'drop-body', title: 'Lost connection in the body', effect: () => ({ drop: 'mid-body' }) },
  {
    name: 'limit',
    title: 'Rate limit (429)',
    input: { label: 'Retry-After in seconds', begin: '30', min: 0 },
    effect: (text) => ({ status: 429, headers: { 'retry-after': text } }),
  },
];

const DROPS = {
  before: 'lost connection',
  after: 'lost connection, but done',
  'mid-body': 'lost connection in the body',
};

/** Describes a fault in words, such as `503 for createBrand, once`. */
export function describeFault(rule: FaultRule): string {
  const { bytesPerSecond, delay, drop, every, match = {}, nth, probability, status, times } = rule;
  const delays = typeof delay === 'object' ? `${delay.min} to ${delay.max}` : delay;
  const places = Object.entries(match).map(([name, value]) =>
    name === 'operation' ? String(value) : `${name} ${value}`,
  );
  const effects = [
    status !== undefined && String(status),
    status === undefined && rule.body !== undefined && 'another body',
    delay !== undefined && `${delays} ms delay`,
    bytesPerSecond !== undefined && `${bytesPerSecond} bytes per second`,
    drop !== undefined && DROPS[drop],
  ];
  const limits = [
    nth !== undefined && `only the ${ordinal(nth)} request`,
    every !== undefined && every !== 1 && `each ${ordinal(every)} request`,
    times !== undefined && (times === 1 ? 'once' : `${times} times`),
    probability !== undefined && `${Math.round(probability * 100)} % of requests`,
  ];
  const effect = effects.filter(Boolean).join(', ');
  return [`${effect} for ${places.join(', ') || 'all requests'}`, ...limits.filter(Boolean)].join(', ');
}

/** Returns `2nd`. */
function ordinal(number: number): string {
  const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(number);
  return `${number}${endings[rule] ?? 'th'}`;
}
