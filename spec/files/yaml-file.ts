import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { UsageError } from './usage-error.ts';

/** No file of facts or settings comes near this; a larger one is a mistake or an attack. */
const LARGEST_FILE = 8 * 1024 * 1024;

/** A YAML value that knows where it stands, so that every complaint can name file and line. */
export type Place = {
  /** Plain JavaScript value. */
  readonly value: unknown;
  /** `file:line`, as printed in messages. */
  readonly at: string;
  /** Throws a UsageError that begins with file and line. */
  fail(message: string): never;
  /** The entries of a mapping, in order; fails when this is something else. */
  entries(): [key: string | number | boolean, value: Place][];
  /** The items of a sequence, in order; fails when this is something else. */
  items(): Place[];
  /** The text of a scalar; fails when this is something else. */
  text(): string;
};

/** Reads a YAML (or JSON) file. Throws UsageError with file and line when it is missing, too large or malformed. */
export function readYamlFile(path: string): Place {
  const name = relative(process.cwd(), path) || path;
  let text: string;
  try {
    const found = statSync(path);
    // A device or a pipe has no size, and may never end.
    if (!found.isFile()) throw new UsageError(`${name} is no regular file; expected a YAML file`);
    if (found.size > LARGEST_FILE)
      throw new UsageError(`${name} has ${found.size} bytes; expected at most ${LARGEST_FILE}`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${name} can't be read (${(error as NodeJS.ErrnoException).code}); expected a YAML file`,
    );
  }
  return readYaml(text, name);
}

/** The same for a text; `name` stands for the file in messages. */
export function readYaml(text: string, name: string): Place {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, logLevel: 'error' });
  const problem = document.errors[0];
  if (problem) {
    const reason = problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
    throw new UsageError(`${name}:${problem.linePos?.[0].line ?? 1}: ${reason}`);
  }
  visit(document, {
    Alias: (_, alias, path) => {
      const target = alias.resolve(document);
      if (!target || !path.includes(target)) return;
      throw new UsageError(
        `${name}:${lineOf(alias, 1)}: *${alias.source} stands inside itself; expected an end`,
      );
    },
  });
  // Aliases are expanded once, with the library's bound on their number, before anything else looks at them.
  let root: unknown;
  try {
    root = document.toJS();
  } catch (error) {
    throw new UsageError(`${name}:1: ${(error as Error).message}`);
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
        if (!isMap(node)) return self.fail(`found ${describe(value)}; expected a mapping`);
        return node.items.map((pair) => {
          const keyLine = lineOf(pair.key as Node | null, line);
          const keyNode = resolved(pair.key as Node | null);
          const key = isScalar(keyNode) ? keyNode.value : keyNode?.toJS(document);
          if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'boolean')
            throw new UsageError(
              `${name}:${keyLine}: found ${describe(key)} as a key; expected a word or a number`,
            );
          const child = pair.value as Node | null;
          return [key, place(child, child?.toJS(document) ?? null, keyLine)];
        });
      },
      items: () => {
        if (!isSeq(node)) return self.fail(`found ${describe(value)}; expected a list`);
        return node.items.map((item) => place(item as Node, (item as Node).toJS(document), line));
      },
      text: () =>
        typeof value === 'string' ? value : self.fail(`found ${describe(value)}; expected a text`),
    };
    return self;
  }
}

/** The same for what was never written: a value that JSON can hold, all of it in the first line. */
export function placeOf(value: unknown, name: string): Place {
  const at = `${name}:1`;
  const self: Place = {
    value,
    at,
    fail: (message) => {
      throw new UsageError(`${at}: ${message}`);
    },
    entries: () =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value).map(([key, member]) => [key, placeOf(member, name)])
        : self.fail(`found ${describe(value)}; expected a mapping`),
    items: () =>
      Array.isArray(value)
        ? value.map((item) => placeOf(item, name))
        : self.fail(`found ${describe(value)}; expected a list`),
    text: () => (typeof value === 'string' ? value : self.fail(`found ${describe(value)}; expected a text`)),
  };
  return self;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'a mapping';
  return value === null || value === undefined ? 'nothing' : JSON.stringify(value);
}
