import { parseJson } from '../../spec/parse-json.ts';
import type { Profile, SettingName } from '../../spec/profile/profile.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import { show } from '../assert/wire-check.ts';
import type { Exchange } from '../target/exchange.ts';

const LONGEST = 100;

export type SettingAnswer = Profile[SettingName];

/** The result of learning one setting of a service. */
export type Finding =
  | {
      readonly kind: 'found';
      readonly value: SettingAnswer;
      readonly evidence: Exchange;
      /** Why a part of the value is unknown. */
      readonly note?: string;
    }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** An option that agrees with the responses. Others might agree, too. */
      readonly fit?: SettingAnswer;
      /** The service uses a form that no option has; `taken` is an option whose form it accepts too. */
      readonly otherForm?: { readonly taken: SettingAnswer | undefined };
    };

export type Findings = { readonly [Name in SettingName]?: Finding };

export function found(value: SettingAnswer, seen: Answer, note = ''): Finding {
  return { kind: 'found', value, evidence: seen.exchange, ...(note === '' ? {} : { note }) };
}

export function unknown(reason: string, fit?: SettingAnswer): Finding {
  return { kind: 'unknown', reason, ...(fit === undefined ? {} : { fit }) };
}

/** Returns a finding that the setting is unknown because the service uses a form that no option has. */
export function otherForm(reason: string, taken?: SettingAnswer): Finding {
  return { kind: 'unknown', reason, otherForm: { taken } };
}

export function hasOtherForm(finding: Finding | undefined): boolean {
  return finding?.kind === 'unknown' && finding.otherForm !== undefined;
}

/** Returns an exchange in a few words: `GET /api/model/brand?limit=2 returned 200`. */
export function exchangeLine({ request, response }: Exchange): string {
  const url = URL.parse(request.url);
  const path = url ? url.pathname + url.search : request.url;
  return `${request.method} ${oneLine(path, LONGEST)} returned ${response.status}`;
}

/** Returns a text of the service on one line, without characters that control a terminal or end a comment. */
export function oneLine(text: string, longest = 400): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ').trim();
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}

/**
 * Returns a response on one line: `POST /api/model/brand returned 422: …`. It quotes the exchange, which has no
 * credentials, because a truncated credential isn't recognized later.
 */
export function describe(seen: Answer): string {
  const { body } = seen.exchange.response;
  const said = body.trim() === '' || isAccepted(seen) ? '' : `: ${show(parseJson(body) ?? body)}`;
  return `${seen.asked} returned ${seen.status}${said}`;
}

/** Returns a finding without credentials, because a service can repeat them anywhere. */
export function redactFinding(finding: Finding, redact: (text: string) => string): Finding {
  if (finding.kind === 'unknown') return { ...finding, reason: redact(finding.reason) };
  const text = JSON.stringify(finding.value);
  if (redact(text) !== text) return unknown('the evidence contains part of the credentials');
  return finding.note === undefined ? finding : { ...finding, note: redact(finding.note) };
}
