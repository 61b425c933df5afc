import type { Exchange } from '../../target/exchange.ts';
import { showControls } from '../text.ts';

/** A command line that sends the request again; secrets stay redacted, so the reader puts in their own. */
export function curlLine({ request }: Exchange): string {
  const parts = ['curl', '-i'];
  if (request.method !== 'GET') parts.push('-X', request.method);
  for (const [name, value] of Object.entries(request.headers)) parts.push('-H', quote(`${name}: ${value}`));
  if (request.body !== undefined) parts.push('--data-raw', quote(request.body));
  return [...parts, quote(request.url)].join(' ');
}

function quote(text: string): string {
  if (showControls(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
  // A shell reads the escapes in $'…' back as the characters they stand for.
  return `$'${showControls(text.replaceAll(/[\\']/g, '\\$&'))}'`;
}
