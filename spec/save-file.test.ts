import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkDirectory, saveFile } from './save-file.ts';
import { useDirectory } from './temporary.testing.ts';
import { UsageError } from './usage-error.ts';

const directory = useDirectory();

describe('a file', () => {
  test('is written whole, and nothing else is left beside it', () => {
    saveFile(directory.path('a.txt'), 'ñ\n');
    expect(readFileSync(directory.path('a.txt'), 'utf8')).toBe('ñ\n');
    expect(readdirSync(directory.path())).toEqual(['a.txt']);
  });

  test('takes the place of the one that was there', () => {
    const path = directory.write('a.txt', 'a long text that was there before');
    saveFile(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('stays as it is when the new one can not take its place', () => {
    mkdirSync(directory.path('taken'));
    expect(() => saveFile(directory.path('taken'), 'x')).toThrow(UsageError);
    expect(statSync(directory.path('taken')).isDirectory()).toBe(true);
    expect(readdirSync(directory.path())).toEqual(['taken']);
  });

  test('without a directory is refused, with the way out', () => {
    const path = directory.path('none/a.txt');
    expect(() => saveFile(path, 'x')).toThrow(UsageError);
    expect(() => saveFile(path, 'x')).toThrow(
      `${path} can't be written (ENOENT); expected a file in a directory that exists`,
    );
  });

  // Who runs as root may write anywhere.
  test.skipIf(process.getuid?.() === 0)('in a directory that may not be written to is refused', () => {
    mkdirSync(directory.path('locked'));
    chmodSync(directory.path('locked'), 0o500);
    expect(() => saveFile(directory.path('locked/a.txt'), 'x')).toThrow(/can't be written \(EACCES\)/);
  });
});

describe('a directory', () => {
  test('that exists is fine, also the current one', () => {
    expect(() => checkDirectory(directory.path('a.txt'))).not.toThrow();
    expect(() => checkDirectory('a.txt')).not.toThrow();
  });

  test.each(['none/a.txt', 'file/a.txt'])('of %s that is none is refused before anything is done', (name) => {
    directory.write('file', '');
    expect(() => checkDirectory(directory.path(name))).toThrow(UsageError);
    expect(() => checkDirectory(directory.path(name))).toThrow(/is no directory; create it first$/);
    expect(readdirSync(directory.path())).toEqual(['file']);
  });
});
