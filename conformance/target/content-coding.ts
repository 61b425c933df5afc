import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { LARGEST_BODY } from './no-answer.ts';

/** How each coding is undone. What `deflate` means is told by its first byte: some services leave out the frame. */
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: bounded(gunzip),
  'x-gzip': bounded(gunzip),
  deflate: (bytes) => ((bytes[0] ?? 0) % 16 === 8 ? bounded(inflate) : bounded(inflateRaw))(bytes),
  br: bounded(brotliDecompress),
  zstd: bounded(zstdDecompress),
};

const TEXT = new TextDecoder();

/**
 * The text of a body. One in a coding that nobody asked for is decoded and the coding named; one that can't be decoded
 * stays as it came. Throws an error of a body that is too large where it holds more than an answer may.
 */
export function readBody(
  bytes: Buffer,
  { 'content-encoding': given = '' }: Readonly<Record<string, string>>,
): Read | Promise<Read> {
  const coding = given.trim().toLowerCase();
  const isPlain = coding === '' || coding === 'identity' || bytes.length === 0;
  return isPlain ? { body: TEXT.decode(bytes) } : decodeBody(bytes, coding);
}

type Read = { readonly body: string; readonly coding?: string };

async function decodeBody(bytes: Buffer, coding: string): Promise<Read> {
  try {
    return { body: TEXT.decode((await DECODERS[coding]?.(bytes)) ?? bytes), coding };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      return { body: TEXT.decode(bytes), coding };
    throw Object.assign(new Error('The body is too large.'), { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  }
}

type Decompress = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, decoded: Buffer) => void,
) => void;

function bounded(decompress: Decompress): (bytes: Buffer) => Promise<Buffer> {
  const decode = promisify(decompress);
  return (bytes) => decode(bytes, { maxOutputLength: LARGEST_BODY });
}
