import { useClosing } from '../closing.ts';
import { readOptions } from '../services/plain/options.ts';
import { startPlain } from '../services/plain/plain.ts';
import { type Meddle, type Meddling, startRecordingProxy } from './recording-proxy.ts';

/** Loses a request before the service gets it, or the response after the service has answered. */
export type Loss = 'request' | 'response';

/** Starts services behind a proxy that loses some requests or responses, and closes them after each test of the file. */
export function useLossyService() {
  const closing = useClosing();
  return { closing, start };

  async function start(meddle: (...asked: Parameters<Meddle>) => Loss | Meddling | Promise<Loss | Meddling>) {
    const service = closing(await startPlain({ dialect: readOptions(['sort=field']) }));
    const before = service.live();
    const proxy = closing(
      await startRecordingProxy(service.url, async (asked, index, proxy) => {
        const loss = await meddle(asked, index, proxy);
        if (loss !== 'request' && loss !== 'response') return loss;
        if (loss === 'response') await proxy.perform(asked);
        return new Error('lost');
      }),
    );
    /** The records that the run left. */
    const left = () => service.live().filter((name) => !before.includes(name));
    return { service, url: proxy.url, asked: proxy.asked, left };
  }
}
