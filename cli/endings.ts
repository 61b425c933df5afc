import { extname } from 'node:path';
import { EXPORT_KINDS, EXPORT_NAMES } from '../generator/export/export-kinds.ts';
import { UsageError } from '../spec/files/usage-error.ts';

/** The verbs that write files, with their file endings. */
const WRITERS: readonly (readonly [verb: string, endings: readonly string[]])[] = [
  ['generate', ['.yaml', '.yml', '.json']],
  ...EXPORT_NAMES.map((name) => [`export ${name}`, EXPORT_KINDS[name].endings] as const),
];

/** Throws UsageError for a file ending that the verb does not write, and names the verb that does. */
export function checkEnding(output: string, verb: string): void {
  const ending = extname(output).toLowerCase();
  const own = WRITERS.find(([name]) => name === verb)?.[1] ?? [];
  const writers = WRITERS.filter(([, endings]) => endings.includes(ending)).map(([name]) => name);
  // A directory can have any name, unless another verb writes a file of that name.
  const isFine = own.length === 0 ? writers.length === 0 : ending === '' || own.includes(ending);
  if (isFine) return;
  const wanted = own.length === 0 ? 'a directory' : `a file that ends with ${own.join(', ')}`;
  const others = writers.map((name) => `\`record-model ${name}\``).join(' or ');
  const other = others === '' ? '' : ` To write ${ending}, use ${others}.`;
  throw new UsageError(`"${verb}" can't write ${JSON.stringify(output)}. With -o, pass ${wanted}.${other}`);
}
