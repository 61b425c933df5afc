import { expect, test } from 'vitest';
import { endWith, useCommand } from '../testing/use-command.ts';

const { directory, readResults, run, startService } = useCommand();

test('all creates have values that the pins allow, even while learning', async () => {
  const { asked, url } = await startService();
  directory.write('pins.yaml', '"*.number": "####"\nshare.serie: [A, B]\n');
  const command = ['check', url, '--models', 'share', '--pins', 'pins.yaml', '--json', 'results.json'];
  const { code } = await run(...command, '--pin', 'share.title={pattern: "T-??"}', '--explore', '9');
  expect(code).toBe(0);
  const { cases } = readResults('results.json');
  const skipped = cases.filter(({ field, outcome }) => field === 'serie' && outcome === 'skip');
  expect(skipped.map(({ message }) => message)).toEqual(['only some values of share.serie are sent']);
  const creates = asked.filter(({ method, path }) => method === 'POST' && path === '/api/model/share');
  const sent = creates.map(({ body }) => body).filter((body) => body.startsWith('{'));
  const seen = (name: string) =>
    new Set(sent.flatMap((body) => new RegExp(`"${name}":"([^"]*)"`).exec(body)?.[1] ?? []));
  expect(seen('number').size).toBeGreaterThan(10);
  expect([...seen('serie')].filter((text) => !/^[AB]$/.test(text)).length).toBeLessThan(10);
  const plain = creates.filter(({ body }) => /"number":"\d{4}"/.test(body));
  expect(plain.length / creates.length).toBeGreaterThan(0.7);
});

test('a binding with a query uses only matching records, and writes to none of them', async () => {
  const shown = [900, 901].map((id) => ({ id, onCredit: id === 901 }));
  const { asked, url } = await startService({}, ({ method, path }) =>
    method === 'GET' && /\/customer\?(.*&)?onCredit=true/.test(path) ? { body: shown } : undefined,
  );
  directory.write('bindings.yaml', 'customer: "?onCredit=true"\n');
  await run('check', url, '--models', 'deposit', '--rule', 'operations', '--bindings', 'bindings.yaml');
  const writes = asked.filter(({ method }) => method !== 'GET');
  const linked = writes.flatMap(({ body }) => /"customer":(\d+)/.exec(body)?.[1] ?? []);
  expect(linked).toContain('901');
  expect(linked).not.toContain('900');
  expect(writes.filter(({ path }) => /customer\/90[01]/.test(path))).toEqual([]);
});

test('a binding with a query without records ends the run before any write', async () => {
  const { asked, url } = await startService();
  directory.write('bindings.yaml', 'customer: "?name=Nobody"\n');
  const { code, stderr } = await run('check', url, '--models', 'deposit', '--bindings', 'bindings.yaml');
  expect({ code, stderr }).toMatchObject(
    endWith(
      2,
      /^record-model: The service lists no customer for the binding "\?name=Nobody"\. Create such a record, correct the query, or bind IDs, such as customer: \[101, 102\]\.$/m,
    ),
  );
  expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
});
