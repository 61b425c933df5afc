import { parse } from 'yaml';
import { type Learned, type LearnedTerms, learnedTerms, renderProfile } from '../conformance/learn/learn.ts';
import type { Results } from '../conformance/results/results.ts';
import { createTarget } from '../conformance/target/target.ts';
import { createProfile, type Profile } from '../spec/profile/profile.ts';
import { against, type Checking, catalogue, check } from './checks.ts';
import { useClosing } from './closing.ts';
import { observeAt } from './profile/learning.ts';
import { type Meddle, type Meddling, startRecordingProxy } from './proxies/recording-proxy.ts';
import type { Defect } from './services/defects/defect.ts';
import { DEFECTS } from './services/defects/defects.ts';
import { readOptions } from './services/plain/options.ts';
import { type StartedPlain, startPlain } from './services/plain/plain.ts';
import type { Row } from './services/records/tables.ts';

/** Words for a service that shows whole lists, removes what is deleted, and begins without records. */
export const BARE = [
  ...['empty=kept', 'deletes=remove', 'deleteAnswer=none', 'deleted=204', 'errors=simple', 'begins=empty'],
  // It takes any query.
  ...['paging=none', 'filter=none', 'total=none', 'unknownFields=ignore'],
];
/** The settings of such a service. */
export const BARE_SETTINGS = {
  'request.blankStrings': 'accept',
  'request.unknownFields': 'ignore',
  'delete.effect': 'remove',
  'delete.answer': 'none',
  'status.deleted': 204,
  'errors.form': 'simple',
  'list.paging': 'none',
  'list.sort': 'none',
  'list.filter': 'none',
  'response.total': 'none',
};

const THEN = '2025-10-22T09:30:00Z';
const STAMPS = { created: THEN, createUser: 1, updated: THEN, updateUser: 1, deleted: false };

/** Stores a record of another client, which is old unless its values say otherwise. */
export function insert({ tables }: Pick<StartedPlain, 'tables'>, model: string, values: Row): Row {
  return { ...tables.find(model, tables.insert(model, { ...STAMPS, ...values })) };
}

/** Loses a request before the service gets it, or the response after the service has answered. */
export type Loss = 'request' | 'response';

/** Starts services that share no code with the suite, and closes them after each test of the file. */
export function useForeignService() {
  const closing = useClosing();
  return { closing, serve, start, startLossy };

  /** The address of one with the manners that the words name. */
  async function serve(...words: string[]): Promise<string> {
    return (await start({}, ...words)).url;
  }

  /** One that does something otherwise than it should, or has the defect of this name. */
  async function start(defect: Partial<Defect> | string = {}, ...words: string[]): Promise<StartedPlain> {
    const found = typeof defect === 'string' ? DEFECTS.find(({ name }) => name === defect) : defect;
    if (!found) throw new Error(`there is no defect ${defect}`);
    return closing(await startPlain({ dialect: readOptions(words), defect: found }));
  }

  /** One behind a proxy that loses some requests or responses. */
  async function startLossy(
    meddle: (...asked: Parameters<Meddle>) => Loss | Meddling | Promise<Loss | Meddling>,
  ) {
    const service = await start({}, 'sort=field');
    const before = service.live();
    const { asked, url } = closing(
      await startRecordingProxy(service.url, async (asked, index, proxy) => {
        const loss = await meddle(asked, index, proxy);
        if (loss !== 'request' && loss !== 'response') return loss;
        if (loss === 'response') await proxy.perform(asked);
        return new Error('lost');
      }),
    );
    /** The records that the run left. */
    const left = () => service.live().filter((name) => !before.includes(name));
    return { service, url, asked, left };
  }
}

/** Learns the profile first, as the command does where none is given. */
export async function learnAndCheck(url: string, options: Checking): Promise<Results> {
  return check(url, { ...options, ...(await learnTerms(url, options)) });
}

/** Learns the profile of a service, or of some of its models. */
export async function learn(url: string, options: Checking = {}): Promise<Learned> {
  const { bindings, models, pins, readOnly = false, seed, tag, wrap = (target) => target } = options;
  const given = Object.entries({ bindings, pins, seed, tag }).filter(([, value]) => value !== undefined);
  const more = { ...Object.fromEntries(given), selected: models && new Set(models), write: !readOnly };
  return (await observeAt(wrap(createTarget({ baseUrl: url })), more)).learned;
}

export async function learnTerms(url: string, options?: Checking): Promise<LearnedTerms> {
  return learnedTerms(await learn(url, options));
}

/** Returns a learned profile as its file gives it. */
export function readBack(learned: Learned): Profile {
  return createProfile(parse(renderProfile(learned)), catalogue);
}

/** Returns the failures of a service, and the records that remain on it. */
export function complaints(results: Results): string[] {
  return [...against(results).map(({ id, message }) => `${id}: ${message}`), ...results.leftovers];
}
