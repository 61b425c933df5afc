import { expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { useLossyService } from '../../testing/proxies/use-lossy-service.ts';
import { renderExchanges } from '../report/exchanges.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { renderTerminal } from '../report/terminal.ts';

const { start } = useLossyService();
const CLOSED = 'the connection was closed before the response was complete';

test('a service that closes the connection each time fails, and reports show the request that it closes', async () => {
  // An object as the value of a field.
  const isClosed = (body: string) => /:\s*\{/.test(body);
  const { url } = await start(({ body }) => (isClosed(body) ? new Error('closed') : undefined));
  const results = await check(url, { models: ['brand', 'share'], looks: [0] });
  const closed = results.cases.filter(({ message = '' }) => message.includes(CLOSED));
  expect(closed.length).toBeGreaterThan(0);
  expect(against(results).every((one) => closed.includes(one))).toBe(true);
  for (const { exchanges = [], outcome } of closed) {
    const { request, response } = exchanges.at(-1) ?? {};
    expect({ outcome, response }).toMatchObject({ outcome: 'fail', response: { status: 0, error: CLOSED } });
    expect(request?.body).toSatisfy(isClosed);
  }
  for (const text of [
    renderTerminal(results, { color: false }),
    renderMarkdown(results),
    renderExchanges(results),
  ])
    expect(text).toContain(CLOSED);
});
