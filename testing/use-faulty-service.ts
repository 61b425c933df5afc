import { createProfile } from '../spec/profile/profile.ts';
import { against, type Checking, catalogue, check } from './checks.ts';
import { useClosing } from './closing.ts';
import { FAULTY_SETTINGS, type FaultyOptions, startFaultyService } from './services/faulty-service.ts';

/** The profile of the services. */
export const profile = createProfile(FAULTY_SETTINGS, catalogue);

/** Starts faulty services on another framework, and closes them after each test of the file. */
export function useFaultyService() {
  const closing = useClosing();
  return { start, failures, failuresAt };

  async function start(options: FaultyOptions) {
    const service = await startFaultyService(options);
    closing(service);
    return service;
  }

  /** Returns the IDs of the cases that fail on a service. */
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
