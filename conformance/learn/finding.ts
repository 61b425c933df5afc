import type { Profile, SettingName } from '../../spec/profile/profile.ts';
import type { Answer } from '../api/answer.ts';
import { Blocked } from '../assert/failure.ts';
import type { Exchange } from '../target/exchange.ts';

const LONGEST = 100;

export type SettingAnswer = Profile[SettingName];

/** What is known of one setting of the service that was asked. */
export type Finding =
  | { readonly kind: 'found'; readonly value: SettingAnswer; readonly evidence: Exchange }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /**
       * What is shown, or asked for, has a form that no option of the setting has; `taken` is an option in whose form
       * values are accepted all the same.
       */
      readonly otherForm?: { readonly taken: SettingAnswer | undefined };
    }
  | { readonly kind: 'does-not-apply'; readonly because: string };

export type Findings = { readonly [Name in SettingName]?: Finding };

export function found(value: SettingAnswer, seen: Answer): Finding {
  return { kind: 'found', value, evidence: seen.exchange };
}

export function unknown(reason: string): Finding {
  return { kind: 'unknown', reason };
}

/** The setting is unknown because the service speaks a form that no option has. */
export function otherForm(reason: string, taken?: SettingAnswer): Finding {
  return { kind: 'unknown', reason, otherForm: { taken } };
}

export function hasOtherForm(finding: Finding | undefined): boolean {
  return finding?.kind === 'unknown' && finding.otherForm !== undefined;
}

/** A probe can't go on; the message is the reason why its settings stay unknown. */
export class Unlearned extends Blocked {
  override name = 'Unlearned';
}

/** An exchange in a few words: `GET /api/model/brand?limit=2 returned 200`. */
export function exchangeLine({ request, response }: Exchange): string {
  const url = URL.parse(request.url);
  const path = url ? url.pathname + url.search : request.url;
  return `${request.method} ${oneLine(path, LONGEST)} returned ${response.status}`;
}

/** A text from outside on one line, without what would control a terminal or end a comment. */
export function oneLine(text: string, longest = 400): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
