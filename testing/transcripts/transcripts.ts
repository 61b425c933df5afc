import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Answer, type Asked, catalogue, startMock } from '../mocks/mocks.ts';

const REQUEST = /^([A-Z]+) (\/\S*)(?: (.+?))??(?: -- ([\w-]+): (.*))?$/;
/** Headers whose value depends on the request. */
const HEADERS = ['allow', 'retry-after', 'www-authenticate'];
/** The values of the common fields in a new record, and of a field without a value. */
const USUAL = new Map<string, unknown>([
  ['created', '2025-10-22T09:30:00Z'],
  ['createUser', 1],
  ['updated', '2025-10-22T09:30:00Z'],
  ['updateUser', 1],
  ['deleted', false],
]);

/** Characters of a body that are shown. */
const LONGEST = 1000;

/**
 * Adds a test that `NAME.txt` in a directory contains requests to the mock and its responses. To add a request, write it
 * there, and run the test with `--update=all`. The lines of a file:
 *
 * - `# TITLE` starts a new mock.
 * - `with { profile: …, fixtures: … }` gives it options. It has few models, unless `models: all` is given.
 * - `POST /warehouse { name: a } -- Prefer: code=503` is a request, in YAML, with one header. A string is sent as it is.
 * - `wait 5` moves the clock, which is stopped, by seconds.
 * - Indented lines are the response. Null and the usual values of the common fields are left out.
 */
export function expectTranscript(directory: string, name: string): void {
  test(`the responses of the mock are those of ${name}.txt`, async () => {
    const file = join(directory, `${name}.txt`);
    await expect(await play(readFileSync(file, 'utf8'))).toMatchFileSnapshot(file);
  });
}

async function play(text: string): Promise<string> {
  const played: string[] = [];
  let asked: Asked | undefined;
  for (const line of text.split('\n').filter((one) => !one.startsWith('  '))) {
    played.push(line);
    if (line.startsWith('# ')) asked = undefined;
    const [, options] = /^with (.*)$/.exec(line) ?? [];
    const { models, profile, ...others } = options === undefined ? {} : parse(options);
    if (options !== undefined) asked = await startMock(profile, models ? { catalogue, ...others } : others);
    const [, seconds] = /^wait (\d+)$/.exec(line) ?? [];
    const [, method, path = '', body, header, value = ''] = REQUEST.exec(line) ?? [];
    if (seconds === undefined && method === undefined) continue;
    asked ??= await startMock();
    if (method === undefined) {
      asked.wait(Number(seconds));
      continue;
    }
    const headers = header === undefined ? {} : { [header]: value };
    const sent = body === undefined ? undefined : parse(body);
    played.push(...describe(await asked.ask(method, path, sent, headers)));
  }
  return played.join('\n');
}

function describe({ body, headers, status }: Answer): string[] {
  const form = status < 400 || typeof body !== 'object' || body === null || !('detail' in body);
  const type = headers['content-type'];
  const total = headers['x-total-count'];
  const shown = [
    ...HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`])),
    ...(total === undefined || Number(total) === lengthOf(body) ? [] : [`x-total-count: ${total}`]),
    ...(type === (form ? 'application/json' : 'application/problem+json') || body === undefined
      ? []
      : [`content-type: ${type}`]),
  ];
  const [first = '', ...others] = form ? [write(body)] : problemsOf(body as Problem);
  const start = [status, ...shown.map((one) => `[${one}]`)].join(' ');
  return others.length === 0
    ? [`  ${start} ${first}`.trimEnd()]
    : [start, first, ...others].map((one) => `  ${one}`);
}

type Problem = {
  readonly detail: string;
  readonly violations?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly message: string;
  }[];
};

function problemsOf({ detail, violations = [] }: Problem): string[] {
  if (violations.length === 0) return [detail];
  return violations.map(({ message, parameter, pointer = `?${parameter}` }) =>
    `${pointer} ${message}`.trim(),
  );
}

function lengthOf(body: unknown): number | undefined {
  return Array.isArray(body) ? body.length : undefined;
}

/** Returns the YAML of a body in one line. */
function write(body: unknown): string {
  if (body === undefined) return '';
  const short = JSON.parse(JSON.stringify(body), function (this: unknown, name: string, value: unknown) {
    const isUsual = !Array.isArray(this) && (value === null || USUAL.get(name) === value);
    return isUsual ? undefined : value;
  });
  const text = stringify(short, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
