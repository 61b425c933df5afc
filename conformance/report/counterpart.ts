import type { Exchange } from '../target/exchange.ts';

/** Of the exchanges of a second try, the last one that asks what the failing one asked; ids may differ. */
export function counterpart(
  { request: { method, url } }: Exchange,
  again: readonly Exchange[],
): Exchange | undefined {
  const asked = `${method} ${shapeOf(url)}`;
  return (
    again.findLast(({ request }) => `${request.method} ${shapeOf(request.url)}` === asked) ?? again.at(-1)
  );
}

function shapeOf(url: string): string {
  return url.replace(/\?.*/, '').replaceAll(/\d+/g, '#');
}
