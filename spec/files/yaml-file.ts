import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { Node } from 'yaml';
import { kitFile, nameInKit } from './kit-file.ts';
import { describe, type Place, placeOf } from './place.ts';
import { refuseMistakes, UsageError, whyFailed } from './usage-error.ts';

const isBuilt = import.meta.filename.endsWith('.js');

/** No file of facts or settings comes near this; a larger one is a mistake or an attack. */
const LARGEST_FILE = 8 * 1024 * 1024;

/**
 * Reads a YAML (or JSON) file. Throws UsageError with file and line when it is missing, larger than `largest` bytes, or
 * malformed.
 */
export function readYamlFile(path: string, largest = LARGEST_FILE): Place {
  const name = relative(process.cwd(), path) || path;
  const built = readBuilt(path);
  if (built !== undefined) return { ...placeOf(built, name), isBuilt: true };
  return readYaml(readTextFile(path, 'a YAML file', largest), name);
}

const require = createRequire(import.meta.url);

/** Does the same for a text. Messages call it `name`. */
export function readYaml(text: string, name: string): Place {
  // The built package reads its own files as JSON. Only files of a user need YAML.
  const yaml: typeof import('yaml') = require('yaml');
  const { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } = yaml;
  const lines = new LineCounter();
  // The library's own check of unique keys compares each key with all others.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'error' });
  const mistakes: string[] = [];
  const complain = (offset: number, message: string) =>
    mistakes.push(`${name}:${lineAt(offset)}: ${message}.`);
  // Of the syntax errors only the first counts, because the others follow from it.
  for (const { message, pos } of document.errors.slice(0, 1)) {
    const reason = message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
    complain(pos[0], `The YAML is malformed: ${reason}`);
  }
  refuseMistakes(mistakes);
  visit(document, {
    Alias: (_, alias, path) => {
      const target = alias.resolve(document);
      if (target && path.includes(target))
        complain(startOf(alias), `The alias *${alias.source} contains itself. Remove it`);
    },
    Map: (_, { items }) => {
      const words = new Set<unknown>();
      for (const { key } of items) {
        const word = keyOf(key);
        if (!['string', 'number', 'boolean'].includes(typeof word))
          complain(startOf(key), `A key must be a string or a number, but is ${describe(word)}`);
        else if (words.size === words.add(word).size)
          complain(startOf(key), 'The YAML is malformed: Map keys must be unique');
      }
    },
  });
  refuseMistakes(mistakes);
  try {
    // Aliases are expanded with the library's bound on their number. A `Map` keeps the types of keys, and their order.
    return placeOf(document.toJS({ mapAsMap: true }), name, (path) => lineAt(offsetOf(path)));
  } catch (error) {
    throw new UsageError(`${name}:1: The YAML can't be loaded: ${(error as Error).message}.`);
  }

  /** Returns where the value at a path begins. A value that is left out is where its key is. */
  function offsetOf(path: readonly unknown[]): number {
    let found: Node | null = document.contents;
    let offset = found?.range?.[0] ?? 0;
    for (const step of path) {
      const whole: Node | undefined | null = isAlias(found) ? found.resolve(document) : found;
      const pair = isMap<Node, Node>(whole) ? whole.items.find(({ key }) => keyOf(key) === step) : undefined;
      found = (isSeq<Node>(whole) ? whole.items[Number(step)] : pair?.value) ?? null;
      offset = (found ?? pair?.key)?.range?.[0] ?? offset;
    }
    return offset;
  }

  function keyOf(key: unknown): unknown {
    const found = isAlias(key) ? key.resolve(document) : key;
    if (isScalar(found)) return found.value;
    return isNode(found) ? found.toJS(document) : found;
  }

  function lineAt(offset: number): number {
    return lines.linePos(offset).line || 1;
  }

  function startOf(at: unknown): number {
    return (isNode(at) && at.range?.[0]) || 0;
  }
}

/**
 * Reads a text file of a user. Throws UsageError if it is missing, is not a regular file, or has more than `largest`
 * bytes. `wanted` says what to name instead, such as `a YAML file`.
 */
export function readTextFile(path: string, wanted: string, largest = LARGEST_FILE): string {
  const name = relative(process.cwd(), path) || path;
  try {
    const found = statSync(path);
    // A device or a pipe has no size, and may never end.
    if (!found.isFile()) throw new UsageError(`${name} is not a regular file. Name ${wanted}.`);
    if (found.size > largest)
      throw new UsageError(
        `${name} is too large: it has ${found.size} bytes, and the limit is ${largest}. Check that it is the file you meant.`,
      );
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name} can't be read because ${whyFailed(error)}. Name ${wanted}.`);
  }
}

/** Returns the content of `dist/data/NAME.json` for a file `NAME`. JSON has no keys but strings, and another order. */
export function toBuilt({ entries, items, value }: Place): unknown {
  if (Array.isArray(value)) return items().map(toBuilt);
  if (value === null || typeof value !== 'object') return value;
  return { pairs: entries().map(([key, member]) => [key, toBuilt(member)]) };
}

/** Returns the value of a file that the build has written and checked, mappings as `Map`; undefined for any other file. */
function readBuilt(path: string): unknown {
  const name = isBuilt ? nameInKit(path) : undefined;
  const file = kitFile(`dist/data/${name}.json`);
  if (name === undefined || !existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8'), (_, value) => (value?.pairs ? new Map(value.pairs) : value));
}
