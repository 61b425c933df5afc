import { afterEach } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { against, type Checking, catalogue, check } from './checks.ts';
import { FAULTY_SETTINGS, type FaultyOptions, startFaultyService } from './services/faulty-service.ts';

/** What the services speak. */
export const profile = createProfile(FAULTY_SETTINGS, catalogue);

/** Services of another make, each with its faults; what is open is closed after each test of the file. */
export function useFaultyService() {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  return { start, failures, failuresAt };

  async function start(options: FaultyOptions) {
    const service = await startFaultyService(options);
    open.push(service);
    return service;
  }

  /** What stands against one of them. */
  async function failures(models: readonly string[], options: FaultyOptions, more: Checking = {}) {
    return failuresAt((await start(options)).url, models, more);
  }

  async function failuresAt(url: string, models: readonly string[], more: Checking = {}) {
    const results = await check(url, { profile, models, looks: [0], ...more });
    return against(results)
      .filter(({ outcome }) => outcome !== 'flaky')
      .map(({ id }) => id);
  }
}
