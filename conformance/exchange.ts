import { REDACTED } from './concealment.ts';

/** A response as it came. */
export type TargetResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A request with its response, as reports show it: secrets redacted, long bodies cut. */
export type Exchange = {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: TargetResponse;
};

const LONGEST_SHOWN = 4000;

/** What is fit to be shown of a request with its response; `secret` names the headers that prove who asks. */
export function showExchange(
  { body, headers, method, url }: Exchange['request'],
  { body: answered, headers: answering, status }: TargetResponse,
  secret: readonly string[],
  conceal?: (text: string) => string,
): Exchange {
  const shown = { ...headers };
  for (const name of secret) shown[name] = REDACTED;
  return {
    request: {
      method,
      url,
      headers: shown,
      ...(body === undefined ? {} : { body: cut(conceal?.(body) ?? body) }),
    },
    // A target may repeat what it was sent, in an error above all; and what it said is sent to it again.
    response: conceal
      ? { status, headers: mapValues(answering, conceal), body: cut(conceal(answered)) }
      : { status, headers: answering, body: cut(answered) },
  };
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function cut(body: string): string {
  return body.length <= LONGEST_SHOWN ? body : `${body.slice(0, LONGEST_SHOWN)}… (${body.length} characters)`;
}
