import { type Answer, isAccepted } from '../../api/answer.ts';
import { show } from '../../assert/wire-check.ts';
import { type Finding, unknown } from '../finding.ts';

/**
 * An answer in a line: `POST /api/model/brand returned 422: …`. It is quoted from the exchange, which holds no
 * credentials: what is cut first is not recognized later.
 */
export function describe(seen: Answer): string {
  const { body } = seen.exchange.response;
  const said = body.trim() === '' || isAccepted(seen) ? '' : `: ${show(parseJson(body) ?? body)}`;
  return `${seen.asked} returned ${seen.status}${said}`;
}

/** A finding without credentials: a service may repeat them wherever it likes. */
export function redactFinding(finding: Finding, redact: (text: string) => string): Finding {
  switch (finding.kind) {
    case 'unknown':
      return { ...finding, reason: redact(finding.reason) };
    case 'does-not-apply':
      return finding;
    case 'found': {
      const text = JSON.stringify(finding.value);
      return redact(text) === text ? finding : unknown('the evidence contains part of the credentials');
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
