import { isDeepStrictEqual } from 'node:util';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';

type Shown = Readonly<Record<string, unknown>>;

/** The expected records of a session, from its responses. */
export type Expected = {
  /** The ids of the records of a model that are there, as far as it is known. */
  idsOf(model: string): readonly number[];
  /** Notes a good answer. */
  answered(model: Model, operation: Operation, body: unknown, place: string): void;
  /** Compares the whole list of a model. */
  compare(model: Model, found: readonly Shown[]): void;
};

/** The models of lines and of their parents change with each other: of these only what is listed is known. */
export function createExpected(
  models: readonly Model[],
  begun: Readonly<Record<string, readonly Shown[]>>,
  note: (problem: string) => void,
): Expected {
  const lines = models.flatMap(({ fields }) => fields.flatMap((field) => field.lines ?? []));
  const isAlone = ({ fields, name }: Model) =>
    !lines.includes(name) && fields.every((field) => field.lines === undefined);
  const records = new Map<string, Map<number, Shown | undefined>>();
  const given = new Map<string, Set<number>>();
  for (const { name } of models) {
    const all = begun[name] ?? [];
    const live = all.filter(({ deleted }) => deleted !== true);
    records.set(name, new Map(live.map(({ id }) => [Number(id), undefined])));
    given.set(name, new Set(all.map(({ id }) => Number(id))));
  }
  const of = (model: string) => records.get(model) ?? new Map<number, Shown | undefined>();
  return {
    idsOf: (model) => [...of(model).keys()],
    answered: ({ name }, operation, body, place) => {
      const record = body as Shown | undefined;
      if (operation === 'list' || operation === 'retrieve') return;
      if (record === undefined) return note(`${place} was answered without a record`);
      const id = Number(record.id);
      if (operation === 'delete') return void of(name).delete(id);
      if (operation === 'create' && given.get(name)?.has(id)) note(`${place} gave the id ${id} again`);
      given.get(name)?.add(id);
      of(name).set(id, record);
    },
    compare: (model, found) => {
      const own = of(model.name);
      const ids = found.map(({ id }) => Number(id));
      if (new Set(ids).size < ids.length) note(`${model.name} lists an id twice: ${ids}`);
      if (isAlone(model)) compareIds(model.name, [...own.keys()], ids);
      for (const record of found) {
        const lacking = model.fields.filter(
          ({ name, required }) => required && (record[name] ?? null) === null,
        );
        if (lacking.length > 0)
          note(`${model.name} ${record.id} lacks ${lacking.map(({ name }) => name)}, which are required`);
        const known = own.get(Number(record.id));
        if (isAlone(model) && known && !isDeepStrictEqual(record, known))
          note(`${model.name} ${record.id} is not as it was answered: ${JSON.stringify([known, record])}`);
        given.get(model.name)?.add(Number(record.id));
      }
      if (!isAlone(model)) records.set(model.name, new Map(ids.map((id) => [id, undefined])));
    },
  };

  function compareIds(model: string, known: readonly number[], found: readonly number[]): void {
    const lost = known.filter((id) => !found.includes(id));
    const strange = found.filter((id) => !known.includes(id));
    if (lost.length > 0) note(`${model} does not list ${lost}, which were answered`);
    if (strange.length > 0) note(`${model} lists ${strange}, which nobody made in this session`);
  }
}
