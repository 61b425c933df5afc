import type { FaultRule } from './fault-rule.ts';

/** A rule with its ID. */
export type Fault = FaultRule & { readonly id: string };
/** A rule with the number of requests that met it. */
export type ListedFault = Fault & { readonly enabled: boolean; readonly hits: number };

/** The facts of a request that rules match. */
export type FaultTarget = {
  readonly method: string;
  readonly path: string;
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  readonly operation?: string | undefined;
  readonly operationId?: string | undefined;
  readonly id?: number | null | undefined;
};

export type Faults = ReturnType<typeof createFaults>;

/** The rules with their counts, the next ID, and the number of draws. */
export type FaultState = {
  readonly rules: readonly Counted[];
  readonly next: number;
  readonly drawn: number;
};

type Counted = { fault: Fault; seen: number; hits: number };

/** Keeps the faults of a session. A seed determines the draws, so that the same requests meet the same faults again. */
export function createFaults(beginning: readonly FaultRule[], seed: number) {
  let rules: Counted[] = [];
  let next = 1;
  let random = createRandom(seed);
  // Each replica draws its own delays.
  let delays = createRandom(seed);
  const add = (rule: FaultRule): Fault => {
    const fault = { ...rule, id: String(next) };
    next += 1;
    rules.unshift({ fault, seen: 0, hits: 0 });
    return fault;
  };
  const reset = () => {
    [rules, next, random, delays] = [[], 1, createRandom(seed), createRandom(seed)];
    for (const rule of beginning) add(rule);
  };
  reset();
  return {
    get size() {
      return rules.length;
    },
    add,
    list: (): ListedFault[] =>
      rules.map(({ fault, hits }) => ({ ...fault, enabled: isEnabled(fault), hits })).toReversed(),
    /** Enables or disables a fault, which keeps its counts. Returns false if there is none with the ID. */
    enable: (id: string, enabled: boolean) => {
      const counted = rules.find(({ fault }) => fault.id === id);
      if (counted) counted.fault = { ...counted.fault, enabled };
      return counted !== undefined;
    },
    remove: (id: string) => {
      const before = rules.length;
      rules = rules.filter(({ fault }) => fault.id !== id);
      return rules.length < before;
    },
    clear: () => {
      rules = [];
    },
    /** Restores the rules and the draws of the start. */
    reset,
    /** Returns the newest fault that a request meets, and counts it. */
    meet: (target: FaultTarget) => rules.find((counted) => meets(counted, target, random.draw))?.fault,
    /** Whether a request can meet a fault: a rule matches, and was met less often than it can be. */
    mayMeet: (target: FaultTarget) =>
      rules.some(
        ({ fault, hits }) => matches(fault, target) && hits < (fault.times ?? Number.POSITIVE_INFINITY),
      ),
    /** Returns a whole number of milliseconds. */
    draw: (delay: NonNullable<FaultRule['delay']>) =>
      typeof delay === 'number' ? delay : Math.round(delay.min + delays.draw() * (delay.max - delay.min)),
    /** Returns the state as JSON, for other replicas. */
    save: (): FaultState => ({
      rules: rules.map((counted) => ({ ...counted })),
      next,
      drawn: random.drawn(),
    }),
    load: (state: FaultState) => {
      rules = state.rules.map((counted) => ({ ...counted }));
      next = state.next;
      random = createRandom(seed, state.drawn);
    },
  };
}

function meets(counted: Counted, target: FaultTarget, random: () => number): boolean {
  const { every, nth, probability, times } = counted.fault;
  if (!matches(counted.fault, target)) return false;
  counted.seen += 1;
  if (nth !== undefined && counted.seen !== nth) return false;
  if (every !== undefined && counted.seen % every !== 0) return false;
  if (times !== undefined && counted.hits >= times) return false;
  if (probability !== undefined && random() >= probability) return false;
  counted.hits += 1;
  return true;
}

function isEnabled({ enabled = true }: FaultRule): boolean {
  return enabled;
}

function matches(fault: FaultRule, target: FaultTarget): boolean {
  if (!isEnabled(fault)) return false;
  const { match = {} } = fault;
  const { id, method, model, operation, path, session } = match;
  if (method !== undefined && method.toUpperCase() !== target.method) return false;
  if (session !== undefined && session !== target.session) return false;
  if (model !== undefined && model !== target.model) return false;
  if (id !== undefined && id !== target.id) return false;
  if (operation !== undefined && operation !== target.operation && operation !== target.operationId)
    return false;
  return path === undefined || matchesPath(path, target.path);
}

/** Whether a path matches. A `*` stands for any text. It uses no regular expression, so that no rule takes long. */
export function matchesPath(pattern: string, path: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return path === first;
  const last = parts.pop() ?? '';
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}

/** Draws numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function createRandom(seed: number, begin = 0) {
  let drawn = begin;
  return {
    /** Returns the number of draws. */
    drawn: () => drawn,
    draw: () => {
      drawn += 1;
      const state = (seed + Math.imul(drawn, 0x6d2b79f5)) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
