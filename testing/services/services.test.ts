import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES } from '../../conformance/plan/plan.ts';
import { SOURCE } from '../source-facts.ts';
import { DEFECTS } from './defects/defects.ts';
import { describeOptions, drawOptions, readOptions, USUAL } from './plain/options.ts';
import { startPlain, TOKEN } from './plain/plain.ts';
import { BASE, type Service } from './service.ts';
import { ZOO } from './services.ts';
import { MODELS, writable } from './source/source.ts';
import { type Disturbance, startUnstable } from './unstable/unstable.ts';

type Answer = { readonly status: number; readonly body: unknown };

async function ask(
  service: Service,
  method: string,
  path: string,
  body?: Readonly<Record<string, string>>,
  encoding: 'json' | 'form' = 'json',
): Promise<Answer> {
  const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const answer = await fetch(`${service.url}${BASE}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined
      ? {}
      : { body: encoding === 'form' ? String(new URLSearchParams(body)) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: /^[[{]/.test(text) ? JSON.parse(text) : undefined };
}

test('nothing in a service is of the kit', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  );
  const outside = files.flatMap((path) => {
    const depth = path.split('/').length;
    const code = readFileSync(join(import.meta.dirname, path), 'utf8');
    return [...code.matchAll(/from '([^']+)'/g)]
      .map(([, from = '']) => from)
      .filter((from) => from.startsWith('../'.repeat(depth)))
      .map((from) => `${path} imports ${from}`);
  });
  expect(files.length).toBeGreaterThan(15);
  expect(outside).toEqual([]);
});

test('the source is read in whole', () => {
  const fields = [...MODELS.values()].flatMap((model) => model.fields);
  expect([MODELS.size, fields.length]).toEqual([SOURCE.totals.models, SOURCE.totals.fields]);
  expect(fields.filter(({ values }) => values).length).toBe(SOURCE.totals.valueLists);
});

describe('defects', () => {
  test('have names of their own, rules that there are, and are many', () => {
    const known = new Set(RULES.map(({ id }) => id));
    expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
    expect(DEFECTS.filter(({ rules }) => !rules.some((id) => known.has(id))).map(({ name }) => name)).toEqual(
      [],
    );
    for (const { defects } of ZOO) expect(defects.length).toBeGreaterThanOrEqual(60);
  });
});

describe.each(ZOO)('$name', ({ start, defects }) => {
  test('takes and shows each model as it has it, and forgets what is deleted', async () => {
    const service = await start();
    try {
      const before = service.live();
      for (const model of MODELS.values()) {
        if (model.readOnly) continue;
        const old = (await ask(service, 'GET', `${model.name}/1`)).body as Record<string, unknown>;
        // Names of old records are taken.
        const values = Object.fromEntries(writable(model).map(({ name }) => [name, old[name] ?? undefined]));
        const sent = { ...values, ...(typeof values.name === 'string' ? { name: `New ${model.name}` } : {}) };
        const made = await ask(service, 'POST', model.name, sent);
        expect([model.name, made.status]).toEqual([model.name, 201]);
        const { id } = made.body as { id: number };
        expect((await ask(service, 'GET', `${model.name}/${id}`)).body).toMatchObject({ id });
        expect(JSON.stringify((await ask(service, 'GET', model.name)).body)).toContain(`"id":${id},`);
        expect((await ask(service, 'POST', `${model.name}/${id}`, {})).status).toBe(200);
        expect((await ask(service, 'DELETE', `${model.name}/${id}`)).status).toBeLessThan(300);
        if (service.live().includes(`${model.name}/${id}`)) expect.unreachable(`${model.name} ${id} is left`);
      }
      expect(service.live()).toEqual(before);
    } finally {
      await service.close();
    }
  });

  test.each(['text-cut-at-50', 'required-text-may-lack', 'capitals-are-the-same', 'id-as-text'])(
    'breaks with %s',
    async (name) => {
      const defect = defects.find((known) => known.name === name);
      const [healthy, broken] = [await start(), await start({ defect })];
      try {
        const see = async (service: Service) => [
          await ask(service, 'POST', 'brand', { name: 'x'.repeat(60) }),
          (await ask(service, 'POST', 'brand', {})).status,
          (await ask(service, 'GET', 'BRAND')).status,
        ];
        expect(withoutTimes(await see(broken))).not.toEqual(withoutTimes(await see(healthy)));
      } finally {
        await Promise.all([healthy.close(), broken.close()]);
      }
    },
  );
});

function withoutTimes(value: unknown): string {
  return JSON.stringify(value).replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, 'then');
}

describe('the plain service', () => {
  test.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'speaks the dialect drawn with %i',
    async (seed) => {
      const dialect = drawOptions(seed);
      const service = await startPlain({ dialect });
      try {
        for (const name of MODELS.keys()) expect((await ask(service, 'GET', name)).status).toBe(200);
        const made = await ask(service, 'POST', 'brand', { name: 'Brand' }, dialect.body);
        expect(made.status).toBe(dialect.created);
        expect(JSON.stringify(made.body)).toContain('"name":"Brand"');
        const refused = (status: number) => (dialect.refusals === 'in the body' ? 200 : status);
        expect((await ask(service, 'POST', 'brand', {}, dialect.body)).status).toBe(refused(dialect.invalid));
        expect((await ask(service, 'GET', 'brand/9999999')).status).toBe(refused(dialect.missing));
        expect((await ask(service, 'PUT', 'brand/1', {})).status).toBe(refused(dialect.noOperation));
      } finally {
        await service.close();
      }
    },
  );

  test('draws the same dialect with the same seed, and reads one from words', () => {
    expect(drawOptions(5)).toEqual(drawOptions(5));
    expect(drawOptions(5)).not.toEqual(drawOptions(6));
    expect(readOptions(['paging=$limit', 'size=20'])).toEqual({ ...USUAL, paging: '$limit', size: 20 });
    expect(describeOptions(readOptions(['unset=absent']))).toBe('unset=absent');
    expect(() => readOptions(['paging=magic'])).toThrow('paging=magic is no option; expected offset, none');
    expect(() => readOptions(['nothing=1'])).toThrow('expected envelope, paging');
  });

  test('hands out a cursor that leads to the next page', async () => {
    const service = await startPlain({ dialect: readOptions(['paging=cursor', 'size=2']) });
    try {
      const first = (await ask(service, 'GET', 'brand')).body as { data: unknown[]; next: string };
      const second = (await ask(service, 'GET', `brand?cursor=${first.next}`)).body;
      expect([first.data.length, second]).toMatchObject([2, { data: [{ id: 3 }], next: null }]);
    } finally {
      await service.close();
    }
  });
});

describe('an unstable proxy', () => {
  const startDisturbed = async (name: Disturbance, more = {}) =>
    startUnstable(await startPlain(), [name], more);

  test('redirects, packs, and answers with 503 and 429 now and then', async () => {
    const [moved, packed, busy, full] = await Promise.all([
      startDisturbed('redirect'),
      startDisturbed('gzip'),
      startDisturbed('busy'),
      startDisturbed('rate', { perSecond: 5 }),
    ]);
    try {
      const redirect = await fetch(`${moved.url}${BASE}/brand`, { redirect: 'manual' });
      expect([redirect.status, redirect.headers.get('location')]).toEqual([308, `/v2${BASE}/brand`]);
      expect((await ask(moved, 'GET', 'brand')).status).toBe(200);
      const bytes = await fetch(`${packed.url}${BASE}/brand`, { headers: { 'accept-encoding': 'identity' } });
      expect([bytes.headers.get('content-encoding'), ((await bytes.json()) as unknown[]).length]).toEqual([
        'gzip',
        3,
      ]);
      const seen: number[] = [];
      for (let time = 0; time < 200; time++) seen.push((await ask(busy, 'GET', 'brand/1')).status);
      expect(new Set(seen)).toEqual(new Set([200, 503]));
      const many = await Promise.all(Array.from({ length: 20 }, () => ask(full, 'GET', 'brand/1')));
      expect(many.map(({ status }) => status)).toContain(429);
    } finally {
      await Promise.all([moved, packed, busy, full].map((service) => service.close()));
    }
  });

  test('shows a new record in lists a while later', async () => {
    const service = await startDisturbed('late-lists', { late: 200 });
    try {
      await ask(service, 'POST', 'brand', { name: 'Late' });
      expect((await ask(service, 'GET', 'brand')).body).toHaveLength(3);
      await expect.poll(async () => (await ask(service, 'GET', 'brand')).body).toHaveLength(4);
    } finally {
      await service.close();
    }
  });
});
