import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { checkFile, saveFile } from './save-file.ts';
import { UsageError } from './usage-error.ts';

const directory = useDirectory();

describe('a file', () => {
  test('is not written if a directory has its name', () => {
    mkdirSync(directory.path('taken'));
    expect(() => saveFile(directory.path('taken'), 'x')).toThrow(UsageError);
    expect(statSync(directory.path('taken')).isDirectory()).toBe(true);
    expect(readdirSync(directory.path())).toEqual(['taken']);
  });

  test.each(['600', '755'])('keeps its mode %s', (digits) => {
    const mode = Number.parseInt(digits, 8);
    const path = directory.write('a.txt', 'old');
    chmodSync(path, mode);
    saveFile(path, 'new');
    expect(statSync(path).mode & 0o7777).toBe(mode);
  });

  test.each([
    ['to a file', 'real.txt'],
    ['to no file', 'none.txt'],
  ])('behind a link %s is rejected, even before a run', (_, to) => {
    const file = directory.write('real.txt', 'old');
    symlinkSync(to, directory.path('link'));
    for (const write of [
      () => saveFile(directory.path('link'), 'new'),
      () => checkFile(directory.path('link'), '--json', false),
    ])
      expect(complaintOf(write)).toMatch(
        /link can't be written because it is a symbolic link\. Name the file itself\.$/,
      );
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(directory.path())).toEqual(['link', 'real.txt']);
  });

  test.skipIf(process.platform === 'win32')('that is a pipe is written to, and stays a pipe', () => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', directory.path('pipe')]);
    // Open for both, so that neither end waits for the other.
    const pipe = openSync(directory.path('pipe'), constants.O_RDWR | constants.O_NONBLOCK);
    saveFile(directory.path('pipe'), 'new');
    expect(statSync(directory.path('pipe')).isFIFO()).toBe(true);
    const read = Buffer.alloc(10);
    expect(read.toString('utf8', 0, readSync(pipe, read))).toBe('new');
    closeSync(pipe);
    expect(readdirSync(directory.path())).toEqual(['pipe']);
  });

  test('in a missing directory is rejected with a hint', () => {
    const path = directory.path('none/a.txt');
    expect(complaintOf(() => saveFile(path, 'x'))).toBe(
      `${path} can't be written because there is no directory ${directory.path('none')}. Create it, or write elsewhere.`,
    );
  });

  // Root can write anywhere.
  test.skipIf(process.getuid?.() === 0)('in a directory without write permission is rejected', () => {
    mkdirSync(directory.path('locked'));
    chmodSync(directory.path('locked'), 0o500);
    expect(() => saveFile(directory.path('locked/a.txt'), 'x')).toThrow(
      /can't be written because the permission is missing/,
    );
  });
});

describe('before a run,', () => {
  test('a file in an existing directory is accepted, and not created', () => {
    directory.write('there', '');
    for (const path of [directory.path('a.txt'), directory.path('there'), 'a.txt', '/dev/null'])
      expect(() => checkFile(path, '--json')).not.toThrow();
    expect(readdirSync(directory.path())).toEqual(['there']);
  });

  test('a file without a directory, or that is a directory, is rejected', () => {
    directory.write('file', '');
    const long = 'x'.repeat(300);
    for (const [name, why] of [
      ['none/a.txt', `there is no directory ${directory.path('none')}. Create it, or write elsewhere.`],
      ['file/a.txt', `there is no directory ${directory.path('file')}. Create it, or write elsewhere.`],
      ['.', 'it is a directory. Name a file.'],
      [long, 'its name is too long. Choose another file for --json.'],
      [`${long}/a.txt`, 'its name is too long. Choose another file for --json.'],
    ] as const) {
      const path = directory.path(name);
      expect(complaintOf(() => checkFile(path, '--json'))).toBe(`${path} can't be written because ${why}`);
    }
    expect(readdirSync(directory.path())).toEqual(['file']);
  });

  // Root can write anywhere.
  test.skipIf(process.getuid?.() === 0)('a file without write permission is rejected', () => {
    mkdirSync(directory.path('locked'));
    chmodSync(directory.path('locked'), 0o500);
    expect(() => checkFile(directory.path('locked/a.txt'), '--json')).toThrow(
      /can't be written because the permission is missing/,
    );
    expect(() => checkFile(directory.path('locked/a.txt'), '--json', false)).not.toThrow();
  });
});
