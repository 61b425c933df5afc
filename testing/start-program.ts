import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a program that serves, and returns its URL once it has printed it: the first group of `ready`. Throws with its
 * output if it ends before.
 */
export async function startProgram(
  command: string,
  words: readonly string[],
  ready: RegExp,
  options: SpawnOptions = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const listening = Promise.withResolvers<string>();
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => {
      output += text;
      const url = ready.exec(output)?.[1];
      if (url) listening.resolve(url);
    });
  ended.then(() => listening.reject(new Error(`${command} ended:\n${output}`)), listening.reject);
  const close = async () => {
    child.kill();
    await ended;
  };
  return { url: await listening.promise, [Symbol.asyncDispose]: close };
}
