import { expect, test } from 'vitest';
import { against, catalogue, check } from '../testing/checks.ts';
import { TINY_DIALECTS } from '../testing/dialects.ts';
import { useService } from '../testing/mock-service.ts';
import { exitCode } from './results/verdict.ts';

const { start } = useService();

test('a service that speaks another profile breaks no stated rule; each failure names the setting that differs', async () => {
  const { service, url } = await start(undefined, { settings: TINY_DIALECTS.plain });
  const headers = { 'Api-Version': catalogue.version };
  const connection = { credentials: service.credentials, headers };
  const results = await check(url, { connection, models: ['brand'] });
  expect(exitCode(results)).toBe(1);
  const failed = against(results).filter(({ outcome }) => outcome === 'fail');
  expect(failed.filter(({ level }) => level === 'stated')).toEqual([]);
  const settings = failed.map(({ setting }) => setting);
  const differing = ['request.unknownFields', 'response.total', 'status.created', 'errors.form'];
  expect(settings).toEqual(expect.arrayContaining([...differing, 'delete.effect', 'list.paging']));
  const told = ['request.encoding', 'request.update', 'response.record', 'status.invalid', 'types.bool'];
  expect(settings.filter((setting) => told.includes(String(setting)))).toEqual([]);
});
