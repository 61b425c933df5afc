/** Lists the text of every error in the production code, read from the source, so that people can review them. */
import { type Node, type ObjectExpression, parseSync, Visitor } from 'oxc-parser';
import { type Code, childrenOf, FUNCTIONS, render, textsOf } from './message.ts';

type Sink = {
  /** The name of a class or function whose arguments are messages. */
  readonly name: string;
  /** The arguments that are messages; all when absent. */
  readonly positions?: readonly number[];
};

const PRODUCTION = /^(cli\.ts$|(spec|generator|mock|conformance|fixtures|cli)\/)/;
/** The values of generated records, which no error shows. Only the entry file of the folder has errors. */
const DATA = /^mock\/generated\/(?!generated\.)/;
/** The functions outside of error classes that print or return an error. */
const PRINTED = ['say', 'error', 'problem', 'unknown'];

/** One block per file: the kind of each error and its text, with ‹expression› where the code fills in a value. */
export function listErrorTexts(files: ReadonlyMap<string, string>): string {
  const production = [...files].filter(
    ([path]) => PRODUCTION.test(path) && !DATA.test(path) && !path.endsWith('.test.ts'),
  );
  const code = production
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, text]): Code => ({ path, text, program: parseSync(path, text).program }));
  const errors = errorClasses(code);
  const sinks = new Map([...errors, ...PRINTED].map((name): [string, Sink] => [name, { name }]));
  const entries = new Map(code.map(({ path }): [string, Set<string>] => [path, new Set()]));
  // A function that passes a parameter on as a message is a sink too, so its callers are read in the next round.
  for (let known = -1; known < sinks.size; ) {
    known = sinks.size;
    for (const one of code) readCalls(one, code, sinks, errors, entries);
  }
  return [...entries]
    .filter(([, texts]) => texts.size > 0)
    .map(([path, texts]) => [path, ...[...texts].sort().map((text) => `  ${text}`), ''].join('\n'))
    .join('\n');
}

/** The names of `Error` and all classes that extend it. */
function errorClasses(code: readonly Code[]): ReadonlySet<string> {
  const names = new Set(['Error', 'TypeError', 'RangeError', 'InvalidArgumentError', 'DOMException']);
  const parents = new Map<string, string>();
  for (const { program } of code)
    new Visitor({
      ClassDeclaration: ({ id, superClass }) => {
        if (id && superClass?.type === 'Identifier') parents.set(id.name, superClass.name);
      },
    }).visit(program);
  for (let size = 0; size < names.size; ) {
    size = names.size;
    for (const [name, parent] of parents) if (names.has(parent)) names.add(name);
  }
  return names;
}

function readCalls(
  one: Code,
  code: readonly Code[],
  sinks: Map<string, Sink>,
  errors: ReadonlySet<string>,
  entries: ReadonlyMap<string, Set<string>>,
): void {
  walk(one.program, []);

  function walk(node: Node, around: readonly Node[]): void {
    const sink = sinkOf(node);
    if (sink) read(node, sink, around);
    if (node.type === 'ObjectExpression') readFinding(node);
    for (const child of childrenOf(node)) walk(child, [...around, node]);
  }

  /** Adds the finding of a judge: an object with the message and the expected value. */
  function readFinding(node: ObjectExpression): void {
    const values = ['message', 'expected', 'found'].map((name) => memberOf(node, name));
    if (!values[0] || !values[1]) return;
    const shown = values.flatMap((value) => (value ? (render(value, one) ?? []) : []));
    if (shown.length > 0) add(one.path, `finding: ${shown.join(' | ')}`);
  }

  function sinkOf(node: Node): Sink | undefined {
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined;
    const { callee } = node;
    if (callee.type === 'Super') return { name: 'super' };
    if (callee.type === 'Identifier') return sinks.get(callee.name);
    return callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
      ? sinks.get(callee.property.name)
      : undefined;
  }

  function read(node: Node, { name, positions }: Sink, around: readonly Node[]): void {
    if (!('arguments' in node)) return;
    const owner = around.findLast(({ type }) => type === 'ClassDeclaration');
    const kind = name === 'super' && owner && 'id' in owner ? (owner.id as { name: string }).name : name;
    if (name === 'super' && !errors.has(kind)) return;
    const messages = (node.arguments as Node[]).filter(
      (_, index) => positions === undefined || positions.includes(index),
    );
    const [first] = messages;
    if (first && (first.type === 'Identifier' || node.type === 'NewExpression'))
      passOn(namesPassedIn(first), around);
    const shown = messages.flatMap((argument) => render(argument, one) ?? []);
    if (shown.length > 0) add(one.path, `${kind}: ${shown.join(' | ')}`);
    for (const { path, from, text } of messages.flatMap((argument) => textsOf(argument, one, code)))
      add(path, `${from}: ${text}`);
  }

  /** Notes the function around the call as a sink if texts are parameters of it. */
  function passOn(texts: readonly string[], around: readonly Node[]): void {
    const index = around.findLastIndex(({ type }) => FUNCTIONS.test(type));
    const inner = around[index] as (Node & { params: Node[]; id?: { name: string } | null }) | undefined;
    const positions = texts.flatMap((text) => {
      const at = inner?.params.findIndex((one) => one.type === 'Identifier' && one.name === text) ?? -1;
      return at < 0 ? [] : [at];
    });
    if (!inner || positions.length === 0) return;
    const holder = around[index - 1] as { id?: { name: string }; key?: { name: string } } | undefined;
    const name = inner.id?.name ?? holder?.id?.name ?? holder?.key?.name;
    if (name === undefined || name === 'constructor' || sinks.has(name)) return;
    sinks.set(name, { name, positions });
  }

  function add(path: string, text: string): void {
    entries.get(path)?.add(text);
  }
}

/** Returns the names in a message, or in the members of a finding. */
function namesPassedIn(argument: Node): string[] {
  const members = ['message', 'expected', 'found'];
  const values =
    argument.type === 'ObjectExpression' ? members.map((name) => memberOf(argument, name)) : [argument];
  return values.flatMap((value) => (value?.type === 'Identifier' ? [value.name] : []));
}

function memberOf({ properties }: ObjectExpression, name: string): Node | undefined {
  const found = properties.find(
    (one) => one.type === 'Property' && one.key.type === 'Identifier' && one.key.name === name,
  );
  return found?.type === 'Property' ? found.value : undefined;
}
