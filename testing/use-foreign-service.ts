import { afterEach } from 'vitest';
import { type LearnedTerms, learnedTerms, learnProfile } from '../conformance/learn/learn.ts';
import type { Results } from '../conformance/results/results.ts';
import { createTarget } from '../conformance/target/target.ts';
import { against, type Checking, catalogue, check, references } from './checks.ts';
import { readOptions } from './services/plain/options.ts';
import { startPlain } from './services/plain/plain.ts';
import type { Service } from './services/service.ts';

/** Services that share no code with the suite; what is open is closed after each test of the file. */
export function useForeignService() {
  const open: Service[] = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });
  const closing = (service: Service): Service => {
    open.push(service);
    return service;
  };
  return { closing, serve };

  /** The address of one with the manners that the words name. */
  async function serve(...words: string[]): Promise<string> {
    return closing(await startPlain({ dialect: readOptions(words) })).url;
  }
}

/** Learns the profile first, as the command does where none is given. */
export async function learnAndCheck(url: string, options: Checking): Promise<Results> {
  return check(url, { ...options, ...(await learnTerms(url, !options.readOnly)) });
}

/** What a service is found to speak. */
export async function learnTerms(url: string, write = true): Promise<LearnedTerms> {
  const target = createTarget({ baseUrl: url });
  try {
    return learnedTerms(await learnProfile({ catalogue, references, target, write }));
  } finally {
    await target.close();
  }
}

/** What stands against a service, and what was left behind on it. */
export function complaints(results: Results): string[] {
  return [...against(results).map(({ id, message }) => `${id}: ${message}`), ...results.leftovers];
}
