import type { Profile, SettingName } from '../../spec/profile/profile.ts';
import type { Exchange } from '../target/exchange.ts';

/** The target breaks the rule. */
export class Failure extends Error {
  readonly expected: string;
  readonly found: string;
  /** The exchange that shows it, where that is not the last one of the case. */
  readonly exchange: Exchange | undefined;
  constructor(message: string, expected: string, found: string, exchange?: Exchange) {
    super(message);
    this.exchange = exchange;
    this.name = 'Failure';
    this.expected = expected;
    this.found = found;
  }
}

/** The target speaks another option of a setting than the profile says. */
export function speaksAnother(
  setting: SettingName,
  profile: Profile,
  found: string,
  exchange?: Exchange,
): Failure {
  const expected = `${setting} ${profile[setting]}`;
  return new Failure(`the target uses another ${setting}`, expected, found, exchange);
}

/** Something the case needs did not work, so that nothing can be said of the rule. */
export class Blocked extends Error {
  override name = 'Blocked';
  /** The exchange that shows it, where that is not the last one of the case. */
  readonly exchange: Exchange | undefined;
  /** The setting that is supposed otherwise than the target speaks; a skip where nobody knows it. */
  readonly setting: SettingName | undefined;

  constructor(message: string, exchange?: Exchange, setting?: SettingName) {
    super(message);
    this.exchange = exchange;
    this.setting = setting;
  }
}

/** The rule does not apply to this target. */
export class Skip extends Error {
  override name = 'Skip';
}

/** A write is not sent, since one like it may have changed what others made. */
export class Withheld extends Skip {
  override name = 'Withheld';
}
