import { extname } from 'node:path';
import { EXPORT_KINDS, EXPORT_NAMES } from '../generator/export/kinds.ts';
import { UsageError } from '../spec/files/usage-error.ts';

/** The verbs that write files, with the endings of theirs. */
const WRITERS: readonly (readonly [verb: string, endings: readonly string[]])[] = [
  ['generate', ['.yaml', '.yml', '.json']],
  ...EXPORT_NAMES.map((name) => [`export ${name}`, EXPORT_KINDS[name].endings] as const),
];

/** Throws UsageError for a file whose ending says another format than the verb writes, and names the verb that does. */
export function checkEnding(output: string, verb: string): void {
  const ending = extname(output).toLowerCase();
  const writers = WRITERS.filter(([, endings]) => endings.includes(ending)).map(([name]) => name);
  if (writers.length === 0 || writers.includes(verb)) return;
  const own = WRITERS.find(([name]) => name === verb)?.[1] ?? [];
  throw new UsageError(
    `-o is ${JSON.stringify(output)}, and ${verb} writes no ${ending} file; expected ${own.length === 0 ? 'a directory' : `one that ends with ${own.join(', ')}`}, or the verb that does: ${writers.map((name) => `record-model ${name}`).join(', ')}`,
  );
}
