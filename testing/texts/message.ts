/** Reads the texts of a message from its expression, following the functions and constants it is made with. */
import type { Node, Program } from 'oxc-parser';

export type Code = { readonly path: string; readonly text: string; readonly program: Program };
export type Text = { readonly path: string; readonly from: string; readonly text: string };

type Definition = { readonly one: Code; readonly node: Node };

export const FUNCTIONS = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const WORDS = /[a-zA-Z'’,:;.)»"›]+ [a-zA-Z'"‹`-]/;
const definitions = new WeakMap<readonly Code[], ReadonlyMap<string, readonly Definition[]>>();

/** Returns the text of an expression with ‹…› for each filled-in value, or undefined for an object, number, or name. */
export function render(node: Node, one: Code): string | undefined {
  const source = () => one.text.slice(node.start, node.end).replace(/\s+/g, ' ');
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value.replaceAll('\n', '\\n') : undefined;
    case 'TemplateLiteral':
      return node.quasis
        .map(({ value }, index) => {
          const filled = node.expressions[index];
          const text = (value.cooked ?? value.raw).replaceAll('\n', '\\n');
          return filled ? `${text}‹${one.text.slice(filled.start, filled.end).replace(/\s+/g, ' ')}›` : text;
        })
        .join('');
    case 'BinaryExpression': {
      const parts = [node.left, node.right].map((part) => render(part, one));
      return parts.some((part) => part !== undefined) && node.operator === '+'
        ? parts.map((part) => part ?? '‹…›').join('')
        : undefined;
    }
    case 'ConditionalExpression':
    case 'LogicalExpression':
    case 'CallExpression':
      return `‹${source()}›`;
    default:
      return undefined;
  }
}

/** The texts of the functions and constants that a message is made of, each with the place of its definition. */
export function textsOf(message: Node, one: Code, code: readonly Code[]): Text[] {
  const found: Text[] = [];
  const seen = new Set<Node>();
  follow(message, one);
  return found;

  function follow(node: Node, inside: Code): void {
    for (const name of namesIn(node)) {
      const all = definitionsIn(code).get(name) ?? [];
      const own = all.filter((definition) => definition.one === inside);
      for (const definition of own.length > 0 ? own : all.filter(({ one }) => isImported(name, inside, one)))
        if (!seen.has(definition.node)) read(name, definition);
    }
  }

  function read(from: string, { one: at, node }: Definition): void {
    seen.add(node);
    for (const result of resultsOf(node)) {
      follow(result, at);
      for (const part of partsOf(result)) {
        const text = part.type.endsWith('Literal') ? render(part, at) : undefined;
        if (text !== undefined && WORDS.test(text)) found.push({ path: at.path, from, text });
      }
    }
  }
}

/** Returns the results of a function, or the node itself. */
function resultsOf(node: Node): Node[] {
  if (node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement') return [node.body];
  if (!FUNCTIONS.test(node.type)) return [node];
  const results: Node[] = [];
  const search = (inner: Node) => {
    if (inner !== node && FUNCTIONS.test(inner.type)) return;
    if (inner.type === 'ReturnStatement' && inner.argument) results.push(inner.argument);
    for (const child of childrenOf(inner)) search(child);
  };
  search(node);
  return results;
}

/** Returns the expressions that become part of the text: branches, filled-in values, lists, and arguments of calls. */
function partsOf(node: Node): Node[] {
  const inside = (): Node[] => {
    switch (node.type) {
      case 'ConditionalExpression':
        return [node.consequent, node.alternate];
      case 'LogicalExpression':
      case 'BinaryExpression':
        return [node.left, node.right];
      case 'TemplateLiteral':
        return node.expressions;
      case 'CallExpression':
      case 'NewExpression':
        return [node.callee, ...node.arguments.flatMap((argument) => resultsOf(argument))];
      case 'MemberExpression':
        return [node.object];
      case 'ObjectExpression':
        return node.properties.flatMap((one) =>
          one.type === 'Property' &&
          one.value.type !== 'ObjectExpression' &&
          one.value.type !== 'ArrayExpression'
            ? resultsOf(one.value)
            : [],
        );
      case 'ArrayExpression':
        return node.elements.filter(
          (one) => one !== null && one.type !== 'ObjectExpression' && one.type !== 'SpreadElement',
        );
      case 'ChainExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'ParenthesizedExpression':
        return [node.expression];
      case 'SpreadElement':
      case 'AwaitExpression':
        return [node.argument];
      default:
        return [];
    }
  };
  return [node, ...inside().flatMap(partsOf)];
}

function isImported(name: string, inside: Code, from: Code): boolean {
  const file = from.path.split('/').at(-1) ?? '';
  return inside.program.body.some(
    (line) =>
      line.type === 'ImportDeclaration' &&
      line.source.value.endsWith(file) &&
      line.specifiers.some(({ local }) => local.name === name),
  );
}

/** The names of the functions that a message calls and of the values that it shows. */
function namesIn(node: Node): ReadonlySet<string> {
  return new Set(partsOf(node).flatMap((part) => (part.type === 'Identifier' ? [part.name] : [])));
}

/** Returns functions, constants, and values pushed to a list, by name. */
function definitionsIn(code: readonly Code[]): ReadonlyMap<string, readonly Definition[]> {
  const known = definitions.get(code);
  if (known) return known;
  const all = new Map<string, Definition[]>();
  for (const one of code)
    visit(one.program, (node) => {
      const note = (name: string, value: Node) =>
        all.set(name, [...(all.get(name) ?? []), { one, node: value }]);
      if (node.type === 'FunctionDeclaration' && node.id) note(node.id.name, node);
      if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
        note(node.id.name, node.init);
      if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
      const { object, property } = node.callee;
      if (object.type !== 'Identifier' || property.type !== 'Identifier' || property.name !== 'push') return;
      for (const value of node.arguments) note(object.name, value);
    });
  definitions.set(code, all);
  return all;
}

function visit(node: Node, each: (node: Node) => void): void {
  each(node);
  for (const child of childrenOf(node)) visit(child, each);
}

export function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && 'type' in value && 'start' in value;
}
