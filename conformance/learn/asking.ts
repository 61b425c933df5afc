import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, type Api, createApi } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import { Interrupted } from '../target/backoff.ts';
import type { Exchange } from '../target/exchange.ts';
import { NoAnswer, TooMany } from '../target/no-answer.ts';
import type { Target, TargetRequest } from '../target/target.ts';
import { type Id, type Seen, Unlearned } from './finding.ts';

/** Asks the service in the profile as far as it is known; values are in wire form. */
export type Asking = {
  send(request: TargetRequest): Promise<Seen>;
  list(model: string, query?: Readonly<Record<string, string>>): Promise<Seen>;
  retrieve(model: string, id: Id): Promise<Seen>;
  create(model: string, body: RecordValues, profile?: Profile): Promise<Seen>;
  update(model: string, id: Id, body: RecordValues): Promise<Seen>;
  delete(model: string, id: Id): Promise<Seen>;
  /** The records of an answer with many under the profile, if they are there. */
  recordsIn(seen: Seen): readonly RecordValues[] | undefined;
  /** The records of a list over its pages, up to a bound; undefined where it is none. */
  listAll(model: string): Promise<readonly RecordValues[] | undefined>;
  /** The first answer that has headers about the rate of requests. */
  rate(): Seen | undefined;
  /** The service no longer answers: nothing listens there, or it stays silent. */
  lost(): boolean;
};

export type AskingOptions = {
  readonly target: Target;
  readonly catalogue: Catalogue;
  /** Whether anything but GET may be sent. */
  readonly write: boolean;
  /** From then on nothing is asked. */
  readonly signal?: AbortSignal;
};

/** A service that stays silent this often in a row is not asked again. */
const MOST_SILENCE = 3;
export const RATE_HEADERS = ['ratelimit-policy', 'ratelimit-limit', 'x-ratelimit-limit', 'ratelimit'];

/**
 * Throws NoAnswer as the target does; the service is lost when the first request of all has no answer, or three in
 * a row. Throws Unlearned instead of sending anything but GET where writing is not allowed.
 */
export function createAsking(options: AskingOptions, profileNow: () => Profile): Asking {
  let answered = 0;
  let silence = 0;
  let lost = false;
  let rate: Seen | undefined;
  const reader = () => createApi(options.target, options.catalogue, profileNow(), () => {});
  return {
    send: (request) => ask((api) => api.send(request)),
    list: (model, query) => ask((api) => api.list(model, query)),
    retrieve: (model, id) => ask((api) => api.retrieve(model, id)),
    create: (model, body, profile) => ask((api) => api.create(model, body), profile),
    update: (model, id, body) => ask((api) => api.update(model, id, body)),
    delete: (model, id) => ask((api) => api.delete(model, id)),
    recordsIn: (seen) => reader().recordsIn(seen),
    listAll: async (model) =>
      (
        await fetchList(
          createApi(guarded(), options.catalogue, profileNow(), () => {}),
          model,
          profileNow(),
        )
      )?.records,
    rate: () => rate,
    lost: () => lost,
  };

  async function ask(act: (api: Api) => Promise<Answer>, profile = profileNow()): Promise<Seen> {
    let exchange: Exchange | undefined;
    const api = createApi(guarded(), options.catalogue, profile, (one) => {
      exchange = one;
    });
    try {
      const answer = await act(api);
      if (!exchange) throw new TypeError('the target recorded no exchange');
      const seen = { ...answer, exchange };
      answered++;
      silence = 0;
      if (RATE_HEADERS.some((name) => name in seen.headers)) rate ??= seen;
      return seen;
    } catch (error) {
      if (error instanceof NoAnswer) {
        silence++;
        lost ||= (error.gone && !(error instanceof TooMany)) || answered === 0 || silence >= MOST_SILENCE;
      }
      throw error;
    }
  }

  function guarded(): Target {
    const { signal, target, write } = options;
    return {
      ...target,
      send: async (request, record) => {
        if (!write && request.method !== 'GET')
          throw new Unlearned(`${request.method} is not sent where writing is not allowed`);
        if (signal?.aborted) throw new Interrupted();
        return target.send(request, record);
      },
    };
  }
}
