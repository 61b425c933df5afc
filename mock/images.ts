import { IMAGES } from './control/address.ts';
import { type MockRequest, type ServedReply, splitTarget } from './http/http.ts';

const PATH = new RegExp(`^${IMAGES}([a-z0-9-]{1,100})\\.svg$`);

/**
 * Draws the picture of a name for generated and demo records, the same each time; undefined for other paths. It shows the
 * initials of the first two words, so `lucia-fernandez.svg` shows LF.
 */
export function drawImage({ method, target }: MockRequest): ServedReply | undefined {
  const [, name] = PATH.exec(splitTarget(target)[0]) ?? [];
  if (name === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const words = name.match(/[a-z][a-z0-9]*/g) ?? [name];
  const letters = words
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
  const text = `<text x="64" y="78" text-anchor="middle" font-family="sans-serif" font-size="44" fill="#fff">${letters}</text>`;
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128"><rect width="128" height="128" fill="hsl(${hue} 45% 40%)"/>${text}</svg>`;
  return {
    status: 200,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' },
    body,
  };
}
