import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { UsageError } from '../../spec/files/usage-error.ts';

/** An editor writes a file in several steps. */
const PAUSE = 100;

/** Calls back, after a pause, when one of some files has changed, or one in a directory. Returns how to stop it. */
export function watchFiles(paths: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = paths
    .filter((path) => existsSync(path))
    .map((path) => {
      const isDirectory = statSync(path).isDirectory();
      // Many editors put a new file in the place of the old one, and a watcher of that would see nothing more.
      return open(isDirectory ? path : dirname(path), (name) => {
        if (!(isDirectory ? /\.(ya?ml|json)$/.test(name) : name === basename(path))) return;
        clearTimeout(timer);
        timer = setTimeout(onChange, PAUSE);
      });
    });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

function open(directory: string, onChange: (name: string) => void): FSWatcher {
  try {
    return watch(directory, (_, name) => onChange(name ?? ''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${directory} can't be watched (${code}); expected a system with watchers left. Start again without --watch`,
    );
  }
}
