import type { Model } from '../../spec/catalogue/catalogue.ts';
import { type Profile, type SettingName, showOption } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type ApiResponse, isAccepted, isForLater, isObject } from '../api/answer.ts';
import type { ModelApi } from '../api/api.ts';
import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import { contains, show } from './agreement.ts';

/**
 * Why a case ends before it passes. `fail`: the target breaks the rule. `blocked`: something that the case needs did not
 * work, so nothing can be said of the rule. `skip`: the rule does not apply, or the responses don't show whether it holds.
 * `error`: the suite itself failed.
 */
export type Ending = Pick<
  CaseResult,
  'expected' | 'found' | 'harm' | 'usable' | 'unjudged' | 'limited' | 'differs'
> & {
  readonly outcome: 'fail' | 'blocked' | 'skip' | 'error';
  readonly message: string;
  /** The exchange that shows it, where that is not the last one of the case. */
  readonly exchange?: Exchange | undefined;
  /** The model whose valid record could not be created. Another model might allow it. */
  readonly model?: Model | undefined;
  /** A write is not sent, because one like it may have changed records of others. */
  readonly withheld?: true;
};

/** Carries the ending of a case out of deep calls. */
export class Ended extends Error {
  override name = 'Ended';
  readonly ending: Ending;
  constructor(ending: Ending) {
    super(ending.message);
    this.ending = ending;
  }
}

type Details = Partial<Omit<Ending, 'outcome' | 'message' | 'exchange'>>;

export function failure(
  message: string,
  expected: string,
  found: string,
  exchange?: Exchange,
  details: Details = {},
): Ended {
  return new Ended({ outcome: 'fail', message, expected, found, exchange, ...details });
}

export function blocked(message: string, exchange?: Exchange, details: Details = {}): Ended {
  return new Ended({ outcome: 'blocked', message, exchange, ...details });
}

export function skip(message: string, details: Details = {}): Ended {
  return new Ended({ outcome: 'skip', message, ...details });
}

/** The rule applies, but the responses of the target do not show whether it holds. */
export function unjudged(message: string): Ended {
  return skip(message, { unjudged: true });
}

/** Whether an error ends a case, with one of the outcomes if some are given. */
export function isEnded(error: unknown, ...outcomes: readonly Ending['outcome'][]): error is Ended {
  return error instanceof Ended && (outcomes.length === 0 || outcomes.includes(error.ending.outcome));
}

/** Returns undefined if a request that is only a means ends with one of the outcomes. Other cases judge it. */
export async function unlessEnded<T>(
  ask: () => Promise<T>,
  outcomes: readonly Ending['outcome'][] = ['blocked', 'skip'],
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isEnded(error, ...outcomes)) return undefined;
    throw error;
  }
}

/** Returns the failure of a target that uses another option of a setting than the profile has. */
export function speaksAnother(
  setting: SettingName,
  profile: Profile,
  found: string,
  exchange?: Exchange,
): Ended {
  return failure(`the target uses another ${setting}`, showOption(profile[setting]), found, exchange);
}

/**
 * Returns why an answer says nothing about the content of the request: it is about the client or the time. A 401 or 403
 * is about the content if the target accepts the same operation otherwise, such as a grant on a column of a database.
 */
export function whyDenied({ isPermitted, status }: ApiResponse): string | undefined {
  if (isForLater({ status })) return 'the target asks the client to try again later';
  if (isPermitted?.()) return undefined;
  if (status === 401) return 'credentials are missing or wrong';
  // RFC 6585, 3: no request without a condition says what the service does with it.
  if (status === 428) return "the target requires a condition; pass --header 'If-Match: *'";
  return status === 403 ? 'the request is forbidden, perhaps for these credentials' : undefined;
}

/** An answer that does not show the record that was wanted, in a line. */
export function describeAnswer(answer: ApiResponse, api: ModelApi): string {
  const start = `${answer.asked} returned ${answer.status}`;
  const denied = whyDenied(answer);
  if (denied !== undefined) return `${start}: ${denied}`;
  // The exchange is redacted already: a secret that is cut here could not be recognized later.
  const text = answer.exchange.response.body.trim().replaceAll(/\s+/g, ' ').slice(0, 200);
  const shown = api.recordIn(answer);
  if (shown) return `${start}, and its id is not an integer: ${show(shown.id)}`;
  if (isAccepted(answer)) return `${start}, and the record is not at the place in response.record: ${text}`;
  return text === '' ? start : `${start}: ${text}`;
}

/** Returns two values for a report: of lines, their numbers or the first difference; of long strings, the rest. */
export function differing(expected: Value, found: Value): readonly [Value, Value] {
  // A report would cut both before they differ.
  const areCutAlike = expected !== found && show(expected) === show(found);
  if (areCutAlike && typeof expected === 'string' && typeof found === 'string') {
    let at = 0;
    while (expected[at] === found[at]) at++;
    const restOf = (text: string) => ({ [`from character ${at + 1}`]: text.slice(at) });
    return [restOf(expected), restOf(found)];
  }
  const areLines = [expected, found].every((value) => Array.isArray(value) && value.some(isObject));
  if (!areLines || !Array.isArray(expected) || !Array.isArray(found)) return [expected, found];
  if (expected.length !== found.length) return [{ lines: expected.length }, { lines: found.length }];
  const at = expected.findIndex((line, index) => !contains(found[index] ?? null, line));
  const [wanted, shown] = [expected[at] ?? null, found[at] ?? null];
  if (!isObject(wanted) || !isObject(shown)) return [expected, found];
  const [name = ''] = Object.keys(wanted).filter((key) => !contains(shown[key] ?? null, wanted[key] ?? null));
  const partOf = (line: typeof wanted) => ({ line: at + 1, [name]: line[name] ?? null });
  return [partOf(wanted), partOf(shown)];
}
