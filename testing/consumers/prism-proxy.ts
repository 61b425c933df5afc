import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContractDocument } from '../../generator/generate.ts';
import { createMock } from '../../mock/mock.ts';
import type { Outcome, Trial } from './consumer.ts';
import { loopModel } from './crud-loop.ts';

type Proxy = { readonly url: string; close(): Promise<void> };

/**
 * Stock `prism proxy --errors` in front of the service. It answers with an error if a request (422) or a response (500)
 * breaks the document.
 */
async function startPrismProxy(document: ContractDocument, upstream: string): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), 'record-model-'));
  const file = join(directory, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const command = createRequire(import.meta.url).resolve('@stoplight/prism-cli');
  // One process, so that it ends when the test stops it.
  const flags = ['--errors', '--port', '0', '--multiprocess', 'false'];
  const prism = spawn(process.execPath, [command, 'proxy', file, upstream, ...flags]);
  const ended = new Promise<void>((resolve) => prism.once('exit', () => resolve()));
  const close = async () => {
    prism.kill();
    await ended;
    rmSync(directory, { recursive: true });
  };
  let output = '';
  const url = await new Promise<string | undefined>((resolve) => {
    const read = (text: Buffer) => {
      output += text;
      const listening = /Prism is listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (listening) resolve(listening);
    };
    prism.stdout.on('data', read);
    prism.stderr.on('data', read);
    prism.once('exit', () => resolve(undefined));
  });
  if (url) return { url, close };
  await close();
  throw new Error(`prism ended:\n${output}`);
}

/** Sends the requests of each model's life through the proxy to the mock with the demo records. */
export async function proxyByPrism({
  contract,
  document,
  models,
  records,
}: Omit<Trial, 'directory'>): Promise<Outcome> {
  await using mock = await createMock({ ...contract, fixtures: records });
  const { url: upstream } = await mock.listen();
  const proxy = await startPrismProxy(document, upstream);
  try {
    const faults: string[] = [];
    let count = 0;
    for (const model of models) {
      const result = await loopModel(model, { contract, document, url: proxy.url });
      faults.push(...result.faults);
      count += result.count;
    }
    return { count, faults };
  } finally {
    await proxy.close();
  }
}
