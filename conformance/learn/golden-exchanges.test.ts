/** `learn` and `check` read responses with the same code, so exchanges that a person wrote state what each option means. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE, SETTINGS } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';
import { parseForm } from '../../spec/wire/form.ts';
import { check } from '../../testing/checks.ts';
import { observe } from '../../testing/profile/learning.ts';
import { opened, type Served, serve } from '../../testing/services/http-server.ts';
import type { LearnedSetting } from '../settings/observation.ts';

const DIRECTORY = join(import.meta.dirname, '../../testing/golden-exchanges');
const catalogue = loadCatalogue(join(DIRECTORY, 'catalogue'));
const references = loadReferences(catalogue, join(DIRECTORY, 'catalogue'));

type Entry = {
  readonly why: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** The reasons why settings stay unknown. */
  readonly unknown?: Readonly<Record<string, string>>;
  readonly credentials?: Readonly<Record<string, string>>;
  readonly exchanges: string;
};
const { entries, ...shared }: { readonly entries: readonly Entry[]; readonly 'every service': string } =
  parse(readFileSync(join(DIRECTORY, 'golden-exchanges.yaml'), 'utf8'));

/** The settings of an entry that the rules of `check` tell from single responses. */
function judgedIn({ options = {} }: Entry) {
  const judged =
    /^(auth\.scheme|errors\.form|request\.encoding|response\.(records?|total)|version\.in|types\..*|status\.(un.*|noOperation|created))$/;
  return SETTINGS.filter(({ name }) => Object.hasOwn(options, name) && judged.test(name));
}

test.each(entries.map((entry) => [JSON.stringify(entry.options ?? entry.unknown), entry] as const))(
  'learn finds the options %s in their golden exchanges',
  async (_, { credentials = {}, exchanges, options = {}, unknown = {} }) => {
    await using service = await opened(play(`${exchanges}${shared['every service']}`));
    const write = /^> (?!GET)[A-Z]+ /m.test(exchanges);
    const { learned } = await observe(
      { baseUrl: service.url, credentials },
      { catalogue, references, write, selected: undefined },
    );
    const found: Record<string, LearnedSetting> = Object.fromEntries(learned.settings);
    const evidence = expect.anything();
    for (const [name, value] of Object.entries(options))
      expect({ [name]: found[name] }).toMatchObject({ [name]: { kind: 'found', value, evidence } });
    for (const [name, reason] of Object.entries(unknown))
      expect({ [name]: found[name] }).toMatchObject({ [name]: { kind: 'unknown', reason } });
  },
);

test.each(
  entries.flatMap((entry) => judgedIn(entry).map((setting) => [setting.name, setting, entry] as const)),
)(
  'check passes the golden exchanges of %s under their option, and fails them under another',
  async (name, { variants }, { credentials = {}, exchanges, options = {} }) => {
    const models = [...catalogue.models.keys()].filter((model) => exchanges.includes(`GET /${model}\n`));
    const outcomes = async (option: unknown) => {
      await using service = await opened(play(`${exchanges}${shared['every service']}`));
      const profile = Object.assign({ ...DEFAULT_PROFILE }, options, { [name]: option });
      const plan = { catalogue, references, profile, connection: { credentials }, retry: false, looks: [] };
      const selection = { models: models.length > 0 ? models : ['note'], rules: [`profile.${name}`] };
      return (await check(service.url, { ...plan, ...selection })).cases.map(({ outcome }) => outcome);
    };
    const own = await outcomes(options[name]);
    expect(own).not.toContain('fail');
    // A check skips records whose IDs are strings.
    if (!own.includes('pass')) return;
    const others = variants.filter((option) => option !== options[name]);
    for (const option of others) if ((await outcomes(option)).includes('fail')) return;
    expect(others).toEqual([]);
  },
);

test.each(SETTINGS)(
  'the golden exchanges of $name cover each option of a closed set, or a non-default option of an open set',
  ({ default: usual, name, schema, variants }) => {
    const shown = entries.flatMap(({ options = {} }) =>
      Object.hasOwn(options, name) ? [options[name]] : [],
    );
    if (Object.hasOwn(schema, 'enum')) expect(shown).toEqual(expect.arrayContaining([...variants]));
    else expect(shown.filter((option) => option !== usual)).not.toEqual([]);
  },
);

type Fields = Readonly<Record<string, unknown>>;
type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly members: Fields;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly status: number;
  readonly body: string;
  readonly shown: readonly (readonly [name: string, value: string])[];
};

/** Starts a service that returns the response of the first exchange that fits. */
async function play(script: string): Promise<Served> {
  const exchanges = readExchanges(script);
  /** The values of the names in braces. */
  let known: Fields = {};
  const made = new Set<number>();
  let next = 100;
  return serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://golden');
    const path = pathname.replace(catalogue.base, '');
    const sent = readBody(await text(request), request.headers['content-type']);
    const id = Number(/\d*$/.exec(path)?.[0]);
    known = { ...known, made: made.has(id) ? id : undefined };
    const deleted = request.method === 'DELETE' ? { deleted: id } : {};
    const was = Object.entries(known).map(([name, value]) => [`was.${name}`, value]);
    const now: Fields = { ...known, ...Object.fromEntries(was), ...sent, ...deleted, new: next };
    for (const { body, headers, members, method, path: wanted, query, shown, status } of exchanges) {
      const [place, answer] = [fill(wanted, known), fill(body, now)];
      const isMatch =
        method === request.method &&
        place === path &&
        answer !== undefined &&
        [...query].every(([name, value]) => fits(fill(value, known), searchParams.get(name) ?? undefined)) &&
        Object.entries(members).every(([name, value]) => fits(value, sent[name])) &&
        headers.every(([name, value]) =>
          name.startsWith('stored.')
            ? String(known[name.slice('stored.'.length)]) === value
            : String(request.headers[name.toLowerCase()]).startsWith(value),
        );
      if (!isMatch) continue;
      const returned = request.method === 'POST' && status < 300 ? JSON.parse(answer || '{}') : {};
      if (status < 300) known = { ...known, ...sent, ...returned };
      if (status < 300 && body.includes('{new}')) made.add(next++);
      if (status < 300 && method === 'DELETE' && made.delete(id)) known = { ...known, ...deleted };
      response.writeHead(status, { 'Content-Type': 'application/json', ...Object.fromEntries(shown) });
      response.end(answer);
      return;
    }
    response.writeHead(404).end();
  });
}

function readExchanges(script: string): Exchange[] {
  return script.split(/^(?=> [A-Z]+ \/)/m).map((block) => {
    const lines = block.trim().split('\n');
    const [request = '', ...conditions] = lines.filter((line) => line.startsWith('> '));
    const [response = '', ...shown] = lines.filter((line) => line.startsWith('< '));
    const [, method = '', path = '', members = '{}'] = /^> (\S+) (\S+) ?(.+)?/.exec(request) ?? [];
    const [, status, body = ''] = /^< (\d+) ?(.*)/.exec(response) ?? [];
    const [place = '', query = ''] = path.split('?');
    const named = (line: string) => [line.slice(2).split(': ')[0] ?? '', line.replace(/^.*?: /, '')] as const;
    return {
      method,
      path: place,
      query: new URLSearchParams(query),
      members: JSON.parse(members),
      headers: conditions.map(named),
      status: Number(status),
      body,
      shown: shown.map(named),
    };
  });
}

/** Fills in the names in braces; undefined where one has no value yet. */
function fill(template: string, values: Fields): string | undefined {
  let isKnown = true;
  const filled = template.replaceAll(/\{(?:(\d+)\.\.(\d+)|([\w.]+))\}/g, (_, from, to, name) => {
    if (from !== undefined) return JSON.stringify(range(Number(from), Number(to)).map((id) => ({ id })));
    isKnown &&= values[name] !== undefined;
    return JSON.stringify(values[name]);
  });
  return isKnown ? filled : undefined;
}

function range(from: number, to: number): number[] {
  const step = from > to ? -1 : 1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => from + step * index);
}

function fits(wanted: unknown, sent: unknown): boolean {
  if (wanted === null) return sent === undefined;
  if (wanted === '*') return sent !== undefined;
  const pattern = /^\/(.*)\/$/.exec(String(wanted))?.[1];
  return pattern === undefined ? sent === wanted : new RegExp(pattern).test(String(sent ?? ''));
}

function readBody(body: string, type = ''): Fields {
  if (type.startsWith('application/json')) return JSON.parse(body);
  return type.startsWith('application/x-www-form-urlencoded') ? parseForm(body) : {};
}
