import type { CaseResult } from '../../conformance/results/results.ts';
import { catalogue, references } from '../checks.ts';
import { useClosing } from '../closing.ts';
import {
  type Asked,
  type RecordingProxy,
  type Reply,
  startRecordingProxy,
} from '../proxies/recording-proxy.ts';
import type { Breaks } from './records.ts';
import { type ReferenceService, startReferenceService } from './reference-service.ts';

type Meddle = (asked: Asked, index: number) => Reply | Error | undefined;

/** Starts reference services behind recording proxies, and closes them after each test of the file. */
export function useService() {
  const closing = useClosing();
  return { closing, start, startUrl: async (meddle?: Meddle) => (await start(meddle)).url };

  async function start(meddle: Meddle = () => undefined, breaks: Partial<Breaks> = {}) {
    const service: ReferenceService = closing(await startReferenceService({ catalogue, references, breaks }));
    const recorder: RecordingProxy = closing(await startRecordingProxy(service.url, meddle));
    return { service, url: recorder.url, asked: recorder.asked };
  }
}

export function find({ cases }: { readonly cases: readonly CaseResult[] }, id: string): CaseResult {
  const found = cases.find((result) => result.id === id);
  if (found) return found;
  throw new Error(`no case ${id}`);
}

/** The path of the only model without writes. */
export const TASKS = '/api/model/subscriptionTask';

/** A record of it. */
export const task = (id: number, more: object = {}) => ({
  id,
  type: 1,
  created: '2026-01-01T00:00:00Z',
  createUser: 1,
  updated: '2026-01-01T00:00:00Z',
  updateUser: 1,
  ...more,
});
