import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { Node } from 'yaml';
import { kitFile, nameInKit } from './kit-file.ts';
import { describe, type MappingKey, type Place, placeOf } from './place.ts';
import { readTextFile } from './text-file.ts';
import { refuseMistakes, UsageError } from './usage-error.ts';

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
  return readYaml(readTextFile(path, largest, 'a YAML file'), name);
}

const require = createRequire(import.meta.url);

/** Does the same for a text. Messages call it `name`. */
export function readYaml(text: string, name: string): Place {
  // The built package reads its own files as JSON. Only files of a user need YAML.
  const yaml: typeof import('yaml') = require('yaml');
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } = yaml;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, logLevel: 'error' });
  // Of the syntax errors only the first counts, because the others follow from it.
  const syntax = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  const malformed = document.errors.filter((error) => error === syntax || error.code === 'DUPLICATE_KEY');
  refuseMistakes(
    malformed.map(({ linePos, message }) => {
      const reason = message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
      return `${name}:${linePos?.[0].line ?? 1}: The YAML is malformed: ${reason}.`;
    }),
  );
  visit(document, {
    Alias: (_, alias, path) => {
      const target = alias.resolve(document);
      if (!target || !path.includes(target)) return;
      throw new UsageError(
        `${name}:${lineOf(alias, 1)}: The alias *${alias.source} contains itself. Remove it.`,
      );
    },
  });
  // Aliases are expanded once, with the library's bound on their number, before anything else looks at them.
  let root: unknown;
  try {
    root = document.toJS();
  } catch (error) {
    throw new UsageError(`${name}:1: The YAML can't be loaded: ${(error as Error).message}.`);
  }
  return place(document.contents, root, 1);

  function lineOf(node: Node | null | undefined, otherwise: number): number {
    return node?.range ? lines.linePos(node.range[0]).line : otherwise;
  }

  function resolved(node: Node | null | undefined): Node | null | undefined {
    return isAlias(node) ? node.resolve(document) : node;
  }

  function place(written: Node | null | undefined, value: unknown, inheritedLine: number): Place {
    const line = lineOf(written, inheritedLine);
    const node = resolved(written);
    const at = `${name}:${line}`;
    const self: Place = {
      value,
      at,
      fail: (message) => {
        throw new UsageError(`${at}: ${message}`);
      },
      entries: () => {
        if (!isMap(node)) return self.fail(`Expected a mapping, but found ${describe(value)}.`);
        return node.items.map((pair) => {
          const keyLine = lineOf(pair.key as Node | null, line);
          const keyNode = resolved(pair.key as Node | null);
          const key = isScalar(keyNode) ? keyNode.value : keyNode?.toJS(document);
          if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'boolean')
            throw new UsageError(
              `${name}:${keyLine}: A key must be a string or a number, but is ${describe(key)}.`,
            );
          const child = pair.value as Node | null;
          return [key, place(child, child?.toJS(document) ?? null, keyLine)];
        });
      },
      items: () => {
        if (!isSeq(node)) return self.fail(`Expected a list, but found ${describe(value)}.`);
        return node.items.map((item) => place(item as Node, (item as Node).toJS(document), line));
      },
      text: () =>
        typeof value === 'string' ? value : self.fail(`Expected a string, but found ${describe(value)}.`),
    };
    return self;
  }
}

type Built =
  | string
  | number
  | boolean
  | null
  | readonly Built[]
  | { readonly pairs: readonly [MappingKey, Built][] };

/** Returns the content of `dist/data/NAME.json` for a file `NAME`. */
export function toBuilt(place: Place): Built {
  const { value } = place;
  if (Array.isArray(value)) return place.items().map(toBuilt);
  if (value === null || typeof value !== 'object') return value as Built;
  return { pairs: place.entries().map(([key, member]) => [key, toBuilt(member)]) };
}

/** The value of a file that the build has written and checked, mappings as `Map`; undefined for any other file. */
function readBuilt(path: string): unknown {
  const name = isBuilt ? nameInKit(path) : undefined;
  const file = kitFile(`dist/data/${name}.json`);
  if (name === undefined || !existsSync(file)) return undefined;
  return fromBuilt(JSON.parse(readFileSync(file, 'utf8')));
}

function fromBuilt(built: Built): unknown {
  if (Array.isArray(built)) return built.map(fromBuilt);
  if (built === null || typeof built !== 'object' || !('pairs' in built)) return built;
  return new Map(built.pairs.map(([key, member]) => [key, fromBuilt(member)]));
}
