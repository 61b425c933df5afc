import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { FormatName } from '../../conformance/report/report.ts';
import { KIT } from '../../spec/files/kit-file.ts';
import { checkFile } from '../../spec/files/save-file.ts';
import { UsageError } from '../../spec/files/usage-error.ts';

type Name = Exclude<FormatName, 'github'> | 'manifest';

/** How the reports of the kit begin. */
const STARTS: Readonly<Record<Name, RegExp>> = {
  json: /^\{\n {2}"version": \d+,\n {2}"target": "/,
  junit: /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="[^"]+: https?:/,
  markdown: /^## \S+ .*(CONFORMANT|INCONCLUSIVE)/,
  html: /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/,
  har: new RegExp(`^\\{\\s+"log": \\{\\s+"version": "1\\.2",\\s+"creator": \\{\\s+"name": "${KIT.name}"`),
  manifest: /^\{\n {2}"target": ".*",\n {2}"leftovers": \[/,
};

/** The number of bytes at the start of a file that show what it is. */
const START = 4096;

/**
 * Throws UsageError if a report path in `record-model.yaml` is outside of the directory of that file, or if a file there
 * is not a report of the kit. So a configuration from somebody else can't replace files of the user.
 */
export function checkReportPlace(file: string, name: string, config: string): void {
  checkFile(file, name, false);
  const root = realpathSync(dirname(config));
  const place = join(realpathSync(dirname(file)), basename(file));
  if (relative(root, place).split(sep)[0] === '..')
    throw new UsageError(
      `${file} is outside of the directory of ${basename(config)}. Choose a path inside, or pass --${name} on the command line.`,
    );
  const found = statSync(file, { throwIfNoEntry: false });
  // An earlier run can have left the file empty.
  if (!found?.isFile() || found.size === 0 || STARTS[name as Name].test(startOf(file))) return;
  throw new UsageError(
    `${file} is not a report of record-model, so it is not replaced. Choose another path, or pass --${name} on the command line.`,
  );
}

function startOf(file: string): string {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(START);
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, START, 0));
  } finally {
    closeSync(handle);
  }
}
