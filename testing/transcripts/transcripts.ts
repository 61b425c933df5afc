import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Answer, type Asked, catalogue, startMock, violationsOf } from '../mocks/mocks.ts';

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

type Options = Parameters<typeof startMock>[1] & {
  readonly models?: 'all';
  readonly profile?: Readonly<Record<string, unknown>>;
};

/** Characters of a body that are shown. */
const LONGEST = 1000;

/**
 * Adds a test for each part of `NAME.txt` in a directory, which has requests to the mock and its responses. To add a
 * request, write it there, and run the tests of the file with `--update=all`: its part fails once more, and the file has
 * the response. The lines of a file:
 *
 * - `# TITLE` starts a part, with a new mock.
 * - `with { profile: …, fixtures: … }` gives it options. It has few models, unless `models: all` is given.
 * - `POST /warehouse { name: a } -- Prefer: code=503` is a request, in YAML, with one header. A string is sent as it is.
 * - `wait 5` moves the clock, which is stopped, by seconds.
 * - Indented lines are the response. They leave out null, the usual values of the common fields, the usual media type, and
 *   the total of a list that is the number of its records.
 */
export function expectTranscript(directory: string, name: string): void {
  const file = join(directory, `${name}.txt`);
  const parts = readFileSync(file, 'utf8').split(/^(?=# )/m);
  const played: string[] = [];
  for (const part of parts)
    test(part.slice(2, part.indexOf('\n')), async () => {
      const now = await play(part);
      played.push(now);
      expect(now).toBe(part);
    });
  test(`${name}.txt has the responses of the mock`, async () => {
    expect(played).toHaveLength(parts.length);
    await expect(played.join('')).toMatchFileSnapshot(file);
  });
}

async function play(text: string): Promise<string> {
  const played: string[] = [];
  let asked: Asked | undefined;
  for (const line of text.split('\n').filter((one) => !one.startsWith('  '))) {
    played.push(line);
    const [, options] = /^with (.*)$/.exec(line) ?? [];
    const [, seconds] = /^wait (\d+)$/.exec(line) ?? [];
    const [, method, path = '', body, header, value = ''] = REQUEST.exec(line) ?? [];
    if (line.startsWith('# ')) asked = undefined;
    else if (options !== undefined) asked = await start(parse(options));
    else if (seconds !== undefined || method !== undefined) {
      asked ??= await startMock();
      if (method === undefined) asked.wait(Number(seconds));
      else {
        const sent = body === undefined ? undefined : parse(body);
        const headers = header === undefined ? {} : { [header]: value };
        played.push(...describe(await asked.ask(method, path, sent, headers)));
      }
    } else if (line !== '') throw new Error(`A line is no title, options, wait, or request: ${line}`);
  }
  return played.join('\n');
}

function start({ models, profile, ...others }: Options): Promise<Asked> {
  return startMock(profile, models === 'all' ? { catalogue, ...others } : others);
}

function describe(answer: Answer): string[] {
  const { body, headers, status } = answer;
  const isProblem = status >= 400 && typeof body === 'object' && body !== null && 'detail' in body;
  const violations = isProblem ? violationsOf(answer) : [];
  const [first = '', ...others] =
    violations.length > 0 ? violations : [isProblem ? String(body.detail) : write(body)];
  const { 'content-type': type, 'x-total-count': total } = headers;
  const length = Array.isArray(body) ? body.length : undefined;
  const usual = body === undefined ? type : `application/${isProblem ? 'problem+json' : 'json'}`;
  const shown = [
    ...HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`])),
    ...(total === undefined || Number(total) === length ? [] : [`x-total-count: ${total}`]),
    ...(type === usual ? [] : [`content-type: ${type}`]),
  ];
  const head = [status, ...shown.map((one) => `[${one}]`)].join(' ');
  return others.length === 0
    ? [`  ${head} ${first}`.trimEnd()]
    : [head, first, ...others].map((one) => `  ${one}`);
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
