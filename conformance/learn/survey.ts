import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { type Answer, isAccepted, isNoList, isRefused } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import type { Listing } from '../api/listing.ts';
import { listsIn } from '../api/places.ts';
import type { SeenRecord } from '../records/seen-record.ts';
import { NoAnswer } from '../target/no-answer.ts';
import { sideBySide } from '../target/side-by-side.ts';
import type { Reachability } from './reachability.ts';

/** What the service shows of its records; each model is listed once. */
export type Survey = {
  /** The answers to a list of every model that were a success with JSON. */
  lists(): Promise<ReadonlyMap<Model, Answer>>;
  /** The last answer to a list that was none of them. */
  strange(): Answer | undefined;
  /** Whether the list of a model was answered. */
  has(model: Model): boolean;
  /** Whether some answer had a list in it: where there is none, the service is something else. */
  plausible(): boolean;
  /** The records seen so far that stand where the profile says, those of single answers first. */
  records(): Promise<readonly SeenRecord[]>;
  /** What the list of a model held at first, wherever in the answer; undefined where it was not answered. */
  listing(model: Model): Promise<Listing | undefined>;
  /** Remembers a record that an answer showed. */
  note(record: SeenRecord): void;
};

/** Enough to know the form of every value. */
const MOST_OF_A_MODEL = 100;
const NO_MODEL = 'noSuchModel';
const UNANSWERED = { status: 0 };

export function createSurvey(catalogue: Catalogue, api: Api, reachability: Reachability): Survey {
  const noted: SeenRecord[] = [];
  let strange: Answer | undefined;
  let plausible = false;
  let isVague = false;
  const answers = new Map<Model, Answer>();
  let listed: Promise<ReadonlyMap<Model, Answer>> | undefined;
  const lists = () => {
    listed ??= listAll();
    return listed;
  };
  return {
    lists,
    strange: () => strange,
    has: (model) => answers.has(model),
    plausible: () => plausible,
    records,
    async listing(model) {
      const first = (await lists()).get(model);
      if (!first) return undefined;
      const records = api.recordsIn(first) ?? listsIn(first.json).flatMap(({ value }) => value);
      return { records, complete: true, first };
    },
    note: (record) => noted.push(record),
  };

  async function listAll(): Promise<ReadonlyMap<Model, Answer>> {
    const models = [...catalogue.models.values()].filter(({ operations }) => operations.includes('list'));
    await sideBySide(models, async (model) => {
      const answer = await listOne(model.name);
      if (answer && isAccepted(answer) && answer.json !== undefined) answers.set(model, answer);
      else strange = answer ?? strange;
      if (!answer || !isAccepted(answer)) return;
      plausible ||= listsIn(answer.json).length > 0;
      isVague ||= isNoList(answer.json === null ? null : undefined, answer);
    });
    // What says the same to anything is another service.
    if (!plausible && isVague) plausible = isRefused((await listOne(NO_MODEL)) ?? UNANSWERED);
    return new Map(
      models.flatMap((model) => (answers.has(model) ? [[model, answers.get(model) as Answer]] : [])),
    );
  }

  /** One model that can't be listed says nothing of the others. */
  async function listOne(model: string): Promise<Answer | undefined> {
    try {
      return await api.list(model);
    } catch (error) {
      if (error instanceof NoAnswer && !error.gone && !reachability.lost()) return undefined;
      throw error;
    }
  }

  async function records(): Promise<readonly SeenRecord[]> {
    const inLists = [...(await lists())].flatMap(([model, answer]) =>
      (api.recordsIn(answer) ?? [])
        .slice(0, MOST_OF_A_MODEL)
        .map((record): SeenRecord => ({ model, record, from: 'list', answer })),
    );
    return [...noted, ...inLists];
  }
}
