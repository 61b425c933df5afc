import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { listsIn } from '../api/places.ts';
import type { Made } from '../records/removal.ts';
import { NoAnswer } from '../target/no-answer.ts';
import type { Reachability } from './reachability.ts';

/** A record that an answer showed, in wire form. */
export type SeenRecord = {
  readonly model: Model;
  readonly record: RecordValues;
  readonly from: 'list' | 'one';
  readonly seen: Answer;
};

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
  /** Whether an answer to a list shows records that were not there at first, but for the known ones. */
  showsMore(model: Model, seen: Answer, known: readonly Made[]): boolean;
  /** Whether the list of the model held the id at first: the record is not ours to change. */
  wasThere(model: Model, id: unknown): boolean;
  /** Remembers a record that an answer showed. */
  note(record: SeenRecord): void;
};

const SIDE_BY_SIDE = 4;
/** Enough to know the form of every value. */
const MOST_OF_A_MODEL = 100;

export function createSurvey(catalogue: Catalogue, api: Api, reachability: Reachability): Survey {
  const noted: SeenRecord[] = [];
  let strange: Answer | undefined;
  let plausible = false;
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
    note: (record) => noted.push(record),
    wasThere,
    showsMore(model, seen, known) {
      const ids = new Set(known.filter((one) => one.model === model).map(({ id }) => String(id)));
      return [...idsIn(seen)].some((id) => !ids.has(id) && !wasThere(model, id));
    },
  };

  function wasThere(model: Model, id: unknown): boolean {
    const seen = answers.get(model);
    return seen !== undefined && idsIn(seen).has(String(id));
  }

  async function listAll(): Promise<ReadonlyMap<Model, Answer>> {
    const models = [...catalogue.models.values()].filter(({ operations }) => operations.includes('list'));
    const waiting = models.values();
    const work = async () => {
      for (const model of waiting) {
        const seen = await listOne(model);
        if (seen && isAccepted(seen) && seen.json !== undefined) answers.set(model, seen);
        else strange = seen ?? strange;
        plausible ||= seen !== undefined && isAccepted(seen) && listsIn(seen.json).length > 0;
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    return new Map(
      models.flatMap((model) => (answers.has(model) ? [[model, answers.get(model) as Answer]] : [])),
    );
  }

  /** One model that can't be listed says nothing of the others. */
  async function listOne(model: Model): Promise<Answer | undefined> {
    try {
      return await api.list(model.name);
    } catch (error) {
      if (error instanceof NoAnswer && !error.gone && !reachability.lost()) return undefined;
      throw error;
    }
  }

  async function records(): Promise<readonly SeenRecord[]> {
    const inLists = [...(await lists())].flatMap(([model, seen]) =>
      (api.recordsIn(seen) ?? [])
        .slice(0, MOST_OF_A_MODEL)
        .map((record): SeenRecord => ({ model, record, from: 'list', seen })),
    );
    return [...noted, ...inLists];
  }
}

/** The ids in the lists of an answer, as texts: the form they are shown in may be wrong. */
function idsIn({ json }: Answer): ReadonlySet<string> {
  return new Set(listsIn(json).flatMap(({ value }) => value.map(({ id }) => String(id))));
}
