import type { MockRequest, ServedReply } from '../http/http.ts';
import { splitTarget } from '../http/http.ts';
import { IMAGES } from './address.ts';

const PATH = new RegExp(`^${IMAGES}([a-z0-9-]{1,100})\\.svg$`);

/** Draws the picture of a name, the same each time, so that pages of generated records show one; undefined elsewhere. */
export function drawImage({ method, target }: MockRequest): ServedReply | undefined {
  if (!target.startsWith(IMAGES)) return undefined;
  const [, name] = PATH.exec(splitTarget(target)[0]) ?? [];
  if (name === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const letters = name.slice(0, 2).toUpperCase();
  const text = `<text x="64" y="78" text-anchor="middle" font-family="sans-serif" font-size="44" fill="#fff">${letters}</text>`;
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128"><rect width="128" height="128" fill="hsl(${hue} 45% 40%)"/>${text}</svg>`;
  return {
    status: 200,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' },
    body,
  };
}
