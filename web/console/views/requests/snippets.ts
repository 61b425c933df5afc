import type { RequestEntry } from './request-log.ts';

/** The ways to copy a request, with the programs that read them. */
export const SNIPPETS: Readonly<Record<string, (entry: RequestEntry, url: string) => string>> = {
  curl: writeCurl,
  Playwright: writePlaywright,
  Vitest: writeVitest,
};

/** Headers that the client sets by itself. */
const OWN_HEADERS =
  /^(host|connection|content-length|accept-encoding|accept-language|user-agent|origin|referer|sec-.*)$/;

function headersOf({ request }: RequestEntry): [string, string][] {
  return Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.test(name));
}

function bodyOf({ request: { body } }: RequestEntry): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

function writeCurl(entry: RequestEntry, url: string): string {
  const body = bodyOf(entry);
  return [
    `curl ${entry.method === 'GET' ? '' : `-X ${quote(entry.method)} `}${quote(addressOf(entry, url))}`,
    ...headersOf(entry).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ');
}

/** Quotes a word for a shell. */
function quote(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function addressOf(entry: RequestEntry, url: string): string {
  return url.replace(/\/$/, '') + entry.path + entry.request.query;
}

/** Writes a value as JavaScript, with single quotes. JSON is its core. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  if (members.length === 0) return '{}';
  const inner = members.map(([name, one]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
    return `${key}: ${literal(one, `${indent}  `)}`;
  });
  const line = `{ ${inner.join(', ')} }`;
  return line.length + indent.length < 80
    ? line
    : `{\n${inner.map((one) => `${indent}  ${one},`).join('\n')}\n${indent}}`;
}

/** Returns the filter that finds the request again, such as `{ operation: 'createBrand' }`. */
export function filterOf({ method, operation, path }: RequestEntry): Record<string, string> {
  return operation === undefined ? { method, path } : { operation };
}

/** Returns the fault that makes a mock answer in the same way; undefined if it does so without one. */
function faultOf(entry: RequestEntry): object | undefined {
  const { fault, status } = entry;
  if (status === 0) return { match: filterOf(entry), drop: 'before', times: 1 };
  if (fault === undefined && status < 500) return undefined;
  return { match: filterOf(entry), status, times: 1 };
}

/** Returns the title of a test, such as `a failed createBrand (503)`. */
function titleOf(entry: RequestEntry): string {
  const { method, operation, path, status } = entry;
  const name = operation ?? `${method} ${path}`;
  if (status === 0) return `the page handles a lost connection of ${name}`;
  return status >= 400 ? `the page shows that ${name} fails with ${status}` : `the page sends ${name}`;
}

/** Returns a test of the client: its imports, its title, its fixtures, and its steps after the fault of the request. */
function testOf(
  entry: RequestEntry,
  imports: string[],
  title: string,
  fixtures: string,
  steps: string[],
): string {
  const fault = faultOf(entry);
  return [
    ...imports,
    '',
    'const test = createMockTest();',
    '',
    `test(${literal(title)}, async ({ ${fixtures} }) => {`,
    ...(fault === undefined ? [] : [`  await mock.fault(${literal(fault, '  ')});`]),
    ...steps.map((step) => `  ${step}`),
    '});',
    '',
  ].join('\n');
}

function writePlaywright(entry: RequestEntry): string {
  const imports = [
    "import { expect } from '@playwright/test';",
    "import { createMockTest } from 'record-model-contract/mock/playwright';",
  ];
  return testOf(entry, imports, titleOf(entry), 'mock, page', [
    "await page.goto('/');",
    '// Replace this line with the clicks that send the request.',
    `const [sent] = await mock.waitFor(${literal(filterOf(entry), '  ')});`,
    `expect(sent?.status).toBe(${entry.status});`,
    '// Replace this line with a check of the page.',
  ]);
}

function writeVitest(entry: RequestEntry): string {
  const body = bodyOf(entry);
  const headers = headersOf(entry).filter(([name]) => name === 'content-type');
  const init = {
    method: entry.method,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body !== undefined && { body }),
  };
  const address = `\`\${mock.url}${(entry.path + entry.request.query).replaceAll(/[`\\$]/g, '\\$&')}\``;
  const call = `fetch(${address}, ${literal(init, '  ')})`;
  const imports = [
    "import { createMockTest } from 'record-model-contract/mock/vitest';",
    "import { expect } from 'vitest';",
  ];
  const title = titleOf(entry).replace('the page', 'the client');
  const steps =
    entry.status === 0
      ? [`await expect(${call}).rejects.toThrow();`]
      : [`const response = await ${call};`, `expect(response.status).toBe(${entry.status});`];
  return testOf(entry, imports, title, 'mock', steps);
}
