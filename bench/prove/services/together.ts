import { DEFECTS } from '../../../testing/services/defects/defects.ts';
import { opened } from '../../../testing/services/http-server.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { BASE, type Service } from '../../../testing/services/service.ts';
import { describeSaid, type Kit } from './kit.ts';

/** A defect that shows even while others write. */
const DEFECT = 'text-cut-at-50';
const PAUSE = 20;

/**
 * Runs concurrent checks of one service while another client writes. No check may blame the service for it, and each
 * must still find a defect. Returns the mistakes.
 */
export async function tryTogether(kit: Kit, runs: number, args: readonly string[] = []): Promise<string[]> {
  const problems: string[] = [];
  for (const writes of [false, true]) {
    const who = `${runs} runs at once${writes ? ' beside a writer' : ''}`;
    const healthy = await runAtOnce(kit, runs, writes, args);
    problems.push(...healthy.filter(({ code }) => code !== 0).map((said) => `${who}: ${describeSaid(said)}`));
    const broken = await runAtOnce(kit, runs, writes, args, DEFECT);
    problems.push(
      ...broken
        .filter(({ code }) => code !== 1)
        .map((said) => `${who}, with ${DEFECT}: expected exit 1; ${describeSaid(said)}`),
    );
  }
  return problems;
}

async function runAtOnce(kit: Kit, runs: number, writes: boolean, args: readonly string[], name?: string) {
  const defect = DEFECTS.find((known) => known.name === name);
  await using service = await opened(startPlain({ defect }));
  const writer = writes ? startWriter(service) : undefined;
  try {
    return await Promise.all(Array.from({ length: runs }, () => kit.check(service.url, args)));
  } finally {
    await writer?.stop();
  }
}

/** Somebody who works with the same models, and keeps half of what they make. */
function startWriter(service: Service): { stop(): Promise<void> } {
  let going = true;
  const send = (method: string, path: string, body?: object) =>
    fetch(`${service.url}${BASE}/${path}`, {
      method,
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    });
  // The service ends connections that were idle for long, also at the moment when one is used again.
  const ask = (...request: Parameters<typeof send>) => send(...request).catch(() => send(...request));
  const work = async () => {
    for (let round = 1; going; round++) {
      const made = await ask('POST', 'brand', { name: `Somebody's ${round}` });
      const { id } = (await made.json()) as { id: number };
      await ask('POST', 'warehouse/1', { comments: `Counted ${round} times` });
      await ask('POST', `brand/${id}`, { name: `Somebody's ${round}, renamed` });
      if (round % 2 === 0) await ask('DELETE', `brand/${id}`);
      await new Promise((resume) => setTimeout(resume, PAUSE));
    }
  };
  const working = work();
  return {
    stop: async () => {
      going = false;
      await working;
    },
  };
}
