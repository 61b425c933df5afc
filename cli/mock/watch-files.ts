import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';

/** Milliseconds to wait after a change, because an editor writes a file in several steps. */
const PAUSE = 100;

/** Calls `onChange` after a file, or a file in a directory, has changed. Returns a function that stops watching. */
export function watchFiles(paths: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = paths
    .filter((path) => existsSync(path))
    .map((path) => {
      const isDirectory = statSync(path).isDirectory();
      // Many editors replace the file, so a watcher of the file itself would miss later changes.
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
    const isFull = code === 'EMFILE' || code === 'ENOSPC';
    const why = isFull ? 'the system allows no more file watchers' : whyFailed(error);
    throw new UsageError(`${directory} can't be watched because ${why}. Start without --watch.`);
  }
}

type Files = {
  readonly catalogue?: string;
  readonly fixtures?: readonly string[];
  readonly profile?: string;
  readonly users?: string;
};

/** Returns the user's files that a mock reads. */
export function filesOf({ catalogue, fixtures = [], profile, users }: Files): string[] {
  const own = fixtures.filter((source) => source !== 'demo' && source !== 'none');
  const ofCatalogue = catalogue === undefined ? [] : [catalogue, join(catalogue, '..', 'references.yaml')];
  return [...own, ...ofCatalogue, profile ?? [], users ?? []].flat();
}
