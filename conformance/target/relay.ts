import { NoAnswer } from './no-answer.ts';

/** The header in which the proxy of this kit names the service behind it. */
const UPSTREAM = 'record-model-upstream';

/**
 * Returns why a response looks forwarded (RFC 9110, 7.6.3), because the service behind a proxy can be on another machine;
 * undefined if no header says so.
 */
export function relayOf(headers: Readonly<Record<string, string>>): string | undefined {
  const { [UPSTREAM]: upstream, via } = headers;
  if (upstream !== undefined) return `its responses come from ${upstream} through record-model proxy`;
  return via === undefined ? undefined : `its responses come through a proxy (via: ${via})`;
}

/** A write was not sent because a proxy forwards the responses and the user did not allow writes. */
export class Relayed extends NoAnswer {
  override name = 'Relayed';
  constructor(asked: string, how: string) {
    super(
      `${asked} was not sent: the service might hold real data, because ${how}. To allow writes, pass --write`,
      '',
      true,
    );
  }
}
