import type { PlainOptions } from '../options.ts';

const MEDIA: Readonly<Record<PlainOptions['media'], string>> = {
  json: 'application/json',
  charset: 'application/json; charset=utf-8',
  'vnd.api': 'application/vnd.api+json',
  hal: 'application/hal+json;charset=UTF-8',
};

export function mediaType({ media }: PlainOptions): string {
  return MEDIA[media];
}

/** A body as text. */
export function write(body: unknown, { writing }: PlainOptions): string {
  const text = JSON.stringify(body, null, writing === 'pretty' ? 2 : 0);
  if (writing !== 'escaped') return text;
  const unicode = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(/[^\0-\x7f]/g, unicode).replaceAll('/', '\\/');
}
