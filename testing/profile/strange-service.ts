import type { LearnOptions } from '../../conformance/learn/learn.ts';
import type { TargetOptions } from '../../conformance/target/target.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import { demo } from '../demo.ts';
import { useService } from '../mock-service.ts';
import { type Asked, type Meddle, type Reply, startRecordingProxy } from '../proxies/recording-proxy.ts';
import { observe } from './learning.ts';

export type Answering = (url: URL, asked: Asked) => Reply;

/** Five ids, and the records that have them. */
export const IDS = [1, 2, 3, 4, 5];
export const recordsOf = (ids: readonly (number | string)[]) =>
  ids.map((id) => ({ id, created: '2025-10-22T09:30:00Z', deleted: false }));
export const unknownRecord = (url: URL) => /\/\d{6,}$/.test(url.pathname);

/** Starts services with unusual behavior, and closes them after each test of the file. */
export function useStrangeService() {
  const { closing, start: startBehind } = useService();
  return { closing, learn, mockBehind, start };

  /** A service of a few lines. */
  async function start(answering: Answering): Promise<string> {
    const meddle = (asked: Asked) => answering(new URL(asked.path, 'http://strange'), asked);
    return closing(await startRecordingProxy(undefined, meddle)).url;
  }

  /** Learns the profile of such a service, without writing by default. */
  async function learn(answering: Answering, more: Partial<LearnOptions & TargetOptions> = {}) {
    const baseUrl = await start(answering);
    const { learned, sent } = await observe({ baseUrl, ...more }, { write: false, ...more });
    const found = (name: SettingName) => {
      const finding = learned.settings.get(name);
      return finding?.kind === 'found' ? finding.value : finding;
    };
    return { found, learned, sent };
  }

  /** The demo club behind a proxy that answers in its place where it wants to. */
  async function mockBehind(meddle: Meddle, settings: Readonly<Record<string, unknown>> = {}) {
    return (await startBehind(meddle, { fixtures: demo, settings })).url;
  }
}
