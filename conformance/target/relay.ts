import { NoAnswer } from './no-answer.ts';

/** The header in which the proxy of this kit names the service behind it. */
const UPSTREAM = 'record-model-upstream';

/**
 * What says that an answer was forwarded by something between, which may stand here for a service elsewhere (RFC 9110,
 * 7.6.3); undefined where nothing says so.
 */
export function relayOf(headers: Readonly<Record<string, string>>): string | undefined {
  const { [UPSTREAM]: upstream, via } = headers;
  if (upstream !== undefined) return `they come from ${upstream}, through record-model proxy`;
  return via === undefined ? undefined : `they come through a proxy (via: ${via})`;
}

/** Nothing but GET may be sent to what answers through something between, unless the user says so. */
export class Relayed extends NoAnswer {
  override name = 'Relayed';
  constructor(asked: string, how: string) {
    super(
      `${asked} was not sent because responses do not come from the target itself: ${how}. To allow writes, pass --write`,
      '',
      true,
    );
  }
}
