import { extname } from 'node:path';
import { saveFile } from '../spec/files/save-file.ts';
import { orList, UsageError } from '../spec/files/usage-error.ts';
import { terminal } from './terminal/terminal.ts';

/** The endings of documents, and of fixtures. */
const TEXTS = ['.yaml', '.yml', '.json'];

/** The verbs that write the contract, with the endings of their files. A verb without one writes a directory. */
export const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  generate: TEXTS,
  'export types': ['.d.ts', '.ts'],
  'export schemas': [],
  'export html': ['.html', '.htm'],
  'export diagram': ['.mmd', '.mermaid'],
};

/** Throws UsageError for a file ending that the verb does not write, and names the verb that does. */
export function checkEnding(output: string, verb: string): void {
  const ending = extname(output).toLowerCase();
  const own = ENDINGS[verb] ?? TEXTS;
  const writers = Object.keys(ENDINGS).filter((name) => ENDINGS[name]?.includes(ending));
  // A directory can have any name, unless another verb writes a file of that name.
  const isFine = own.length === 0 ? writers.length === 0 : ending === '' || own.includes(ending);
  if (isFine) return;
  const wanted = own.length === 0 ? 'a directory' : `a file that ends with ${orList(own)}`;
  const others = writers.map((name) => `\`record-model ${name}\``).join(' or ');
  const other = others === '' ? '' : ` To write ${ending}, use ${others}.`;
  throw new UsageError(`"${verb}" can't write ${JSON.stringify(output)}. With -o, pass ${wanted}.${other}`);
}

/** Writes a text to a file, or to standard output. */
export function writeOutput(output: string, text: string): void {
  if (output === '-') terminal().stdout.write(text);
  else saveFile(output, text);
}
