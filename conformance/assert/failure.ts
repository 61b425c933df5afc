import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile, SettingName } from '../../spec/profile/profile.ts';
import { type Answer, isAccepted, isForLater } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import type { Exchange } from '../target/exchange.ts';
import { show } from './wire-check.ts';

/** The target breaks the rule. */
export class Failure extends Error {
  readonly expected: string;
  readonly found: string;
  /** The exchange that shows it, where that is not the last one of the case. */
  readonly exchange: Exchange | undefined;
  /** Damage to a record that the run did not create, such as `subscriptionTask/1 deleted`. */
  readonly harm: string | undefined;
  constructor(message: string, expected: string, found: string, exchange?: Exchange, harm?: string) {
    super(message);
    this.exchange = exchange;
    this.harm = harm;
    this.name = 'Failure';
    this.expected = expected;
    this.found = found;
  }
}

/** The operation fails for some values only, so other cases can use it. */
export class PartFailure extends Failure {}

/** Returns the failure of a target that uses another option of a setting than the profile has. */
export function speaksAnother(
  setting: SettingName,
  profile: Profile,
  found: string,
  exchange?: Exchange,
): Failure {
  return new Failure(`the target uses another ${setting}`, nameOption(profile[setting]), found, exchange);
}

/** Returns an option as messages show it. */
export function nameOption(option: unknown): string {
  return typeof option === 'string' && option !== '' ? option : JSON.stringify(option);
}

/** Something the case needs did not work, so that nothing can be said of the rule. */
export class Blocked extends Error {
  override name = 'Blocked';
  /** The exchange that shows it, where that is not the last one of the case. */
  readonly exchange: Exchange | undefined;
  /** The setting in which the profile and the target differ. The case is skipped if the setting is unknown. */
  readonly setting: SettingName | undefined;
  /** The model whose record could not be created, where that is not the one of the case. */
  readonly model: Model | undefined;

  constructor(message: string, exchange?: Exchange, setting?: SettingName, model?: Model) {
    super(message);
    this.exchange = exchange;
    this.setting = setting;
    this.model = model;
  }
}

/** A limit of the suite keeps the case from being judged, which says nothing against the target. */
export class Limited extends Blocked {}

/** The rule does not apply to this target. */
export class Skip extends Error {
  override name = 'Skip';
}

/** The rule applies, but the responses of the target do not show whether it holds. */
export class Unjudged extends Skip {
  override name = 'Unjudged';
}

/** A write is not sent, since one like it may have changed what others made. */
export class Withheld extends Skip {
  override name = 'Withheld';
}

/**
 * Returns why an answer says nothing about the content of the request: it is about the client or the time. A 401 or 403
 * is about the content if the target accepts the same operation otherwise, such as a grant on a column of a database.
 */
export function whyDenied({ isPermitted, status }: Answer): string | undefined {
  if (isForLater({ status })) return 'the target asks the client to try again later';
  if (isPermitted?.()) return undefined;
  if (status === 401) return 'credentials are missing or wrong';
  return status === 403 ? 'the request is forbidden, perhaps for these credentials' : undefined;
}

/** An answer that does not show the record that was wanted, in a line. */
export function describeAnswer(answer: Answer, api: Api): string {
  const start = `${answer.asked} returned ${answer.status}`;
  const denied = whyDenied(answer);
  if (denied !== undefined) return `${start}: ${denied}`;
  // The exchange is redacted already: a secret that is cut here could not be recognized later.
  const text = answer.exchange.response.body.trim().replaceAll(/\s+/g, ' ').slice(0, 200);
  const shown = isAccepted(answer) ? api.recordIn(answer) : undefined;
  if (shown) return `${start}, and its id is not an integer: ${show(shown.id)}`;
  if (isAccepted(answer)) return `${start}, and the record is not at the place in response.record: ${text}`;
  return text === '' ? start : `${start}: ${text}`;
}

/** Returns undefined if the target keeps a case from a request that is only a means. Other cases judge that request. */
export async function unlessBlocked<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Blocked || error instanceof Skip) return undefined;
    throw error;
  }
}
