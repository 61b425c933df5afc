import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

const PAUSE = 100;

/** A body that comes at a speed. */
export function slowBody(text: string, bytesPerSecond: number): Readable {
  const bytes = Buffer.from(text);
  const step = Math.max(1, Math.ceil((bytesPerSecond * PAUSE) / 1000));
  const pause = Math.max(PAUSE, (step / bytesPerSecond) * 1000);
  return Readable.from(
    (async function* () {
      for (let at = 0; at < bytes.byteLength; at += step) {
        if (at > 0) await wait(pause);
        yield bytes.subarray(at, at + step);
      }
    })(),
    { objectMode: false },
  );
}

/** The first half of a body, after which the connection breaks. */
export function brokenBody(text: string): Readable {
  const bytes = Buffer.from(text);
  return Readable.from(
    (async function* () {
      yield bytes.subarray(0, Math.floor(bytes.byteLength / 2));
      // The half has to be on its way first.
      await wait(10);
      throw new Error('A fault of the mock closed the connection.');
    })(),
    { objectMode: false },
  );
}
