import { request as send } from 'node:http';
import { createServer } from 'vite';
import { expect, test } from 'vitest';
import { recordModelMock } from './vite.ts';

function ask(port: number, method: string, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = send({ host: '127.0.0.1', port, method, path, headers: { host }, agent: false });
    asking.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    asking.end();
  });
}

test('the dev server passes the API on to all it serves, the control plane to this machine, and ends with its mock', async () => {
  const vite = await createServer({
    configFile: false,
    logLevel: 'silent',
    plugins: [recordModelMock()],
    // Such as for a phone in the same network.
    server: { host: '127.0.0.1', port: 0, allowedHosts: true, ws: false },
  });
  await vite.listen();
  const port = Number(new URL(vite.resolvedUrls?.local[0] ?? '').port);
  const [local, other] = [`127.0.0.1:${port}`, 'dev.example:5173'];
  const session = '/__mock/sessions/a';
  const asked = [
    ['GET', '/api/model/brand', local, 200],
    ['GET', '/api/model/brand', other, 200],
    ['GET', `${session}/api/model/brand`, other, 200],
    ['POST', '/__mock/reset', local, 204],
    ['POST', '/__mock/reset', other, 403],
    ['GET', `${session}/__mock/requests`, other, 403],
  ] as const;
  for (const [method, path, host, status] of asked)
    expect([method, path, host, await ask(port, method, path, host)]).toEqual([method, path, host, status]);
  const target = vite.config.server.proxy?.['/api/model'];
  const url = typeof target === 'object' ? String(target.target) : '';
  expect((await fetch(`${url}/__mock/health`)).status).toBe(200);
  await vite.close();
  await expect(fetch(`${url}/__mock/health`)).rejects.toThrow();
});
