import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock } from '../../mock/mock.ts';
import { startProgram } from '../start-program.ts';
import type { ConsumerTrial, Outcome } from './consumer.ts';
import { loopModel } from './crud-loop.ts';

/** Starts a command of stock Prism on a free port, in one process, so that it ends when the test stops it. */
export function startPrism(...words: string[]): Promise<{ readonly url: string } & AsyncDisposable> {
  const command = createRequire(import.meta.url).resolve('@stoplight/prism-cli');
  const all = [command, ...words, '--port', '0', '--multiprocess', 'false'];
  return startProgram(process.execPath, all, /Prism is listening on (http:\/\/\S+)/);
}

/**
 * Sends the requests of each model's life to the mock with the demo records, through stock `prism proxy --errors`. It
 * answers with an error if a request (422) or a response (500) breaks the document.
 */
export async function proxyByPrism({
  contract,
  document,
  models,
  records,
}: Omit<ConsumerTrial, 'directory'>): Promise<Outcome> {
  await using mock = await createMock({ ...contract, fixtures: records });
  const { url: upstream } = await mock.listen();
  using directory = mkdtempDisposableSync(join(tmpdir(), 'record-model-'));
  const file = join(directory.path, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  await using proxy = await startPrism('proxy', file, upstream, '--errors');
  const faults: string[] = [];
  let count = 0;
  for (const model of models) {
    const result = await loopModel(model, { contract, document, url: proxy.url });
    faults.push(...result.faults);
    count += result.count;
  }
  return { count, faults };
}
