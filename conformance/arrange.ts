import type { Model } from '../spec/catalogue.ts';
import type { Field } from '../spec/field.ts';
import { valueAt } from '../spec/json-pointer.ts';
import { createRecordCodec, type RecordValues } from '../spec/record-codec.ts';
import type { Value } from '../spec/types/wire-type.ts';
import { type Answer, type Api, createApi, isAccepted } from './api.ts';
import type { Bindings } from './bindings.ts';
import { createBodyCheck } from './body-check.ts';
import type { CaseContext, MadeRecord, Observation, UpdateStep } from './context.ts';
import { findPlace, isObject } from './find-place.ts';
import { fetchList } from './listing.ts';
import { observeModel } from './observation.ts';
import type { PlanContext } from './plan-context.ts';
import { Blocked, Failure } from './rule.ts';
import type { Exchange, Target } from './target.ts';
import { updateEachField } from './updating.ts';
import { agrees, linkTarget, outsideTarget, validValue, validValues } from './values.ts';
import { createWireCheck, show } from './wire-check.ts';

/** Makes the records that cases need, and takes them away again. */
export type Arrangement = {
  readonly readOnly: boolean;
  /** Makes one record of every model that the given ones link to; what fails blocks only the cases that need it. */
  prepare(models: ReadonlySet<Model>): Promise<void>;
  /** Asks anew for the answers that the cases of a model share. */
  forgetAnswers(model: Model): void;
  /** The context of one case; its exchanges are handed to `record`. */
  open(model: Model, record: (exchange: Exchange) => void): CaseContext;
  /** Removes what a case made, newest first. */
  close(context: CaseContext): Promise<void>;
  /** Removes everything else that was made, newest first. */
  finish(): Promise<void>;
  /** What could not be removed, as `model/id`. */
  leftovers(): readonly string[];
};

type Shared<T> = { readonly answer: T; readonly exchanges: readonly Exchange[] };

type Made = { readonly model: Model; readonly id: number };

export type ArrangementOptions = PlanContext & {
  readonly target: Target;
  readonly readOnly: boolean;
  readonly seed: number;
  /** Ids to link to instead of records that are made or found. */
  readonly bindings?: Bindings;
};

export function createArrangement(options: ArrangementOptions): Arrangement {
  const { catalogue, profile, readOnly, references, seed, target } = options;
  const plan: PlanContext = { catalogue, profile, references };
  const codec = createRecordCodec(catalogue, profile);
  const check = createWireCheck(plan);
  const checkBody = createBodyCheck(plan);
  const linked = new Map<string, readonly number[]>(options.bindings);
  const known = new Map<string, Promise<{ ids: Set<unknown>; complete: boolean }>>();
  const minimals = new Map<string, Promise<Shared<RecordValues>>>();
  const updates = new Map<string, Promise<readonly UpdateStep[]>>();
  const observations = new Map<string, Promise<Shared<Observation>>>();
  const shared: Made[] = [];
  const madeBy = new Map<CaseContext, Made[]>();
  const leftovers: string[] = [];
  const removable = new Map<string, boolean>();
  let last = seed;

  return { readOnly, prepare, forgetAnswers, open, close, finish, leftovers: () => leftovers };

  async function prepare(models: ReadonlySet<Model>): Promise<void> {
    await harvest(models);
    const under = new Set<string>();
    for (const model of models)
      for (const field of fieldsWithLines(model)) {
        const to = field.readonly ? undefined : linkTarget(field, references);
        if (to !== undefined) await ensure(to, under);
      }
  }

  /** Takes ids of things outside the catalogue from the target's own records, which surely refer to some. */
  async function harvest(models: ReadonlySet<Model>): Promise<void> {
    const wanted = new Set<string>();
    for (const model of models)
      for (const field of fieldsWithLines(model)) {
        const thing = field.readonly ? undefined : outsideTarget(field, references);
        if (thing !== undefined && !linked.has(thing)) wanted.add(thing);
      }
    for (const model of catalogue.models.values()) {
      const fields = model.fields.filter((field) => wanted.has(outsideTarget(field, references) ?? ''));
      if (fields.length === 0) continue;
      const records = (await openFor(model, () => {}, shared).listed()).map((record) =>
        check.read(model, record),
      );
      for (const field of fields) {
        const thing = outsideTarget(field, references) ?? '';
        const found = records
          .flatMap((record) => [record[field.name]].flat())
          .filter((id) => Number.isSafeInteger(id));
        const ids = new Set([...(linked.get(thing) ?? []), ...(found as number[])]);
        if (ids.size > 0) linked.set(thing, [...ids].slice(0, 5));
      }
    }
  }

  function forgetAnswers(model: Model): void {
    observations.delete(model.name);
    minimals.delete(model.name);
    updates.delete(model.name);
  }

  function fieldsWithLines(model: Model): Field[] {
    const lines = model.fields.flatMap((field) => catalogue.models.get(field.lines ?? '')?.fields ?? []);
    return [...model.fields, ...lines];
  }

  /** Makes the record others link to; before it, those that it can't be without. */
  async function ensure(name: string, under: Set<string>): Promise<void> {
    const model = catalogue.models.get(name);
    if (!model || linked.has(name) || under.has(name)) return;
    under.add(name);
    for (const field of requiredLinks(model)) await ensure(field, under);
    const context = openFor(model, () => {}, shared);
    const ids: number[] = [];
    try {
      // Two, so that a link can be moved from one to the other.
      while (ids.length < 2) ids.push((await context.make()).id);
    } catch (error) {
      if (!(error instanceof Blocked)) throw error;
      for (const record of await context.listed())
        if (ids.length < 2 && Number.isInteger(record.id) && check.read(model, record).deleted !== true)
          ids.push(record.id as number);
    }
    linked.set(name, ids);
  }

  function linkedId(name: string, number: number): number | undefined {
    const ids = linked.get(name) ?? [];
    return ids[number % Math.max(1, ids.length)];
  }

  function requiredLinks(model: Model): string[] {
    return fieldsWithLines(model).flatMap((field) => {
      const to = field.required && !field.readonly ? linkTarget(field, references) : undefined;
      return to === undefined ? [] : [to];
    });
  }

  function open(model: Model, record: (exchange: Exchange) => void): CaseContext {
    const made: Made[] = [];
    const context = openFor(model, record, made);
    madeBy.set(context, made);
    return context;
  }

  function openFor(model: Model, record: (exchange: Exchange) => void, made: Made[]): CaseContext {
    const api = createApi(target, catalogue, profile, record);
    const number = () => ++last;
    const context: CaseContext = {
      ...plan,
      model,
      readOnly,
      codec,
      check,
      api,
      number,
      values: (extent) => validValues(model, extent, number(), plan, linkedId),
      guessedLinks: () => [
        ...new Set(
          fieldsWithLines(model).flatMap((field) => {
            const thing = field.readonly ? undefined : outsideTarget(field, references);
            return thing === undefined || linked.has(thing) ? [] : [thing];
          }),
        ),
      ],
      valuesAfter,
      otherValue,
      create,
      update,
      make,
      read,
      readValues: async (id) => check.read(model, await read(id)),
      adopt,
      forget: (id) => {
        const index = made.findIndex((item) => item.id === id && item.model === model);
        if (index >= 0) made.splice(index, 1);
      },
      observe: () => shareAnswers(observations, observeModel),
      updates: () =>
        remember(updates, () => {
          const exchanges: Exchange[] = [];
          const own = openFor(model, (exchange) => exchanges.push(exchange), shared);
          return updateEachField(own, () => exchanges.splice(0));
        }),
      show: (exchanges) => {
        for (const exchange of exchanges) record(exchange);
      },
      apiWith: (settings) => createApi(target, catalogue, { ...profile, ...settings }, record),
      minimal: () => shareAnswers(minimals, async (own) => own.read((await own.make()).id)),
      listed: async () => {
        const listing = await fetchList(api, model.name, profile);
        return listing?.records ?? [];
      },
      assertNothingStored,
      remembered: () => remember(known, knowIds),
    };
    return context;

    function valuesAfter(current: RecordValues): Record<string, Value> {
      const values = context.values('all');
      for (const field of model.fields) {
        const value = current[field.name];
        if (value === undefined || profile.transitions === 'any' || !profile.transitions[field.key]) continue;
        values[field.name] = otherValue(field, value) ?? value;
      }
      return values;
    }

    function otherValue(field: Field, current: Value | undefined): Value | undefined {
      const moves = profile.transitions === 'any' ? undefined : profile.transitions[field.key];
      const allowed = moves && current !== undefined && current !== null ? moves[String(current)] : undefined;
      if (allowed) return allowed.find((value) => value !== current);
      for (let tries = 0; tries < 3; tries++) {
        const value = validValue(model, field, number(), plan, linkedId);
        if (value !== undefined && !agrees(field, value, current)) return value;
      }
      return field.type === 'manyToMany' && !agrees(field, [], current) ? [] : undefined;
    }

    async function create(values: RecordValues): Promise<Answer> {
      const body = codec.encodeNamed(model.name, values);
      checkBody('Create', model.name, body);
      const answer = await api.create(model.name, body);
      adopt(answer);
      return answer;
    }

    async function update(id: number, change: RecordValues, sent: RecordValues): Promise<Answer> {
      const values = profile['request.update'] === 'full' ? { ...sent, ...change } : change;
      const body = codec.encodeNamed(model.name, values);
      checkBody('Update', model.name, body);
      return api.update(model.name, id, body);
    }

    function idIn(answer: Answer): number | undefined {
      const id = isAccepted(answer) ? api.recordIn(answer)?.id : undefined;
      return typeof id === 'number' && Number.isInteger(id) ? id : undefined;
    }

    async function make(values: RecordValues = context.values('required')): Promise<MadeRecord> {
      const answer = await create(values);
      const id = idIn(answer);
      if (id === undefined)
        throw new Blocked(
          `a valid ${model.name} could not be made: ${answer.asked} answered ${answer.status}${hint(answer)}`,
        );
      return { id, sent: values, answer };
    }

    function adopt(answer: Answer): number | undefined {
      const id = idIn(answer);
      // A record that is shown elsewhere, or with an id of the wrong type, has to go all the same.
      const strayId = id === undefined && isAccepted(answer) ? strayIdIn(answer) : undefined;
      if (strayId !== undefined) made.push({ model, id: strayId });
      if (id === undefined) return undefined;
      made.push({ model, id });
      void known.get(model.name)?.then(({ ids }) => ids.add(id));
      return id;
    }

    async function read(id: number): Promise<RecordValues> {
      const answer = await api.retrieve(model.name, id);
      const record = isAccepted(answer) ? api.recordIn(answer) : undefined;
      if (record) return record;
      throw new Blocked(
        `a ${model.name} that was made can't be read: ${answer.asked} answered ${answer.status}${hint(answer)}`,
      );
    }

    async function knowIds(): Promise<{ ids: Set<unknown>; complete: boolean }> {
      const listing = await fetchList(api, model.name, profile);
      const ids = new Set<unknown>(listing?.records.map((item) => item.id));
      for (const item of [...shared, ...made]) if (item.model === model) ids.add(item.id);
      return { ids, complete: listing?.complete ?? false };
    }

    async function assertNothingStored(values: RecordValues): Promise<void> {
      const before = await remember(known, knowIds);
      if (!before.complete || Object.keys(values).length === 0) return;
      for (const found of await context.listed()) {
        if (before.ids.has(found.id)) continue;
        before.ids.add(found.id);
        const record = check.read(model, found);
        if (!model.fields.every((field) => agreesOrUnnamed(field, values, record))) continue;
        if (typeof found.id === 'number') made.push({ model, id: found.id });
        throw new Failure(
          'a refused create left a record behind',
          'nothing stored',
          `record ${show(found.id)} with the values sent`,
        );
      }
    }

    /** Asks once a model, and shows the exchanges to every case that judges them. */
    async function shareAnswers<T>(
      memory: Map<string, Promise<Shared<T>>>,
      ask: (own: CaseContext) => Promise<T>,
    ): Promise<T> {
      const { exchanges, answer } = await remember(memory, async () => {
        const exchanges: Exchange[] = [];
        const own = openFor(model, (exchange) => exchanges.push(exchange), shared);
        return { answer: await ask(own), exchanges };
      });
      if (exchanges.some(({ response }) => response.status >= 500)) memory.delete(model.name);
      for (const exchange of exchanges) record(exchange);
      return answer;
    }

    function remember<T>(memory: Map<string, Promise<T>>, ask: () => Promise<T>): Promise<T> {
      const known = memory.get(model.name);
      if (known) return known;
      const asked = ask();
      memory.set(model.name, asked);
      // What broke once is asked again by the next case, instead of failing all of them.
      asked.catch(() => memory.delete(model.name));
      return asked;
    }
  }

  async function close(context: CaseContext): Promise<void> {
    const made = madeBy.get(context) ?? [];
    madeBy.delete(context);
    await removeAll(made);
  }

  async function finish(): Promise<void> {
    await removeAll(shared);
  }

  async function removeAll(made: Made[]): Promise<void> {
    const api = createApi(target, catalogue, profile, () => {});
    for (const { model, id } of made.splice(0).reverse())
      if (!(await remove(api, model, id).catch(() => false))) leftovers.push(`${model.name}/${id}`);
  }

  /** Whether the record is gone. A model's first delete is looked after: some say yes and do nothing. */
  async function remove(api: Api, model: Model, id: number): Promise<boolean> {
    const answer = await api.delete(model.name, id);
    const gone = !isAccepted(answer) && [404, 410, profile['status.unknownRecord']].includes(answer.status);
    if (!isAccepted(answer)) return gone;
    if (!removable.has(model.name)) {
      const after = await api.retrieve(model.name, id);
      const record = isAccepted(after) ? api.recordIn(after) : undefined;
      removable.set(model.name, !record || check.read(model, record).deleted === true);
    }
    return removable.get(model.name) === true;
  }
}

function strayIdIn({ json }: Answer): number | undefined {
  const place = findPlace(json, (value) => isObject(value) && /^\d{1,15}$/.test(String(value.id)));
  return place === undefined ? undefined : Number(valueAt(json, `${place}/id`));
}

function agreesOrUnnamed(field: Field, values: RecordValues, record: RecordValues): boolean {
  const sent = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
  return sent === undefined || agrees(field, sent, record[field.name]);
}

/** What an answer that is no success says of itself, as far as it can be shown in a line. */
function hint(answer: Answer): string {
  if (answer.status === 401 || answer.status === 403) return ': credentials are missing or wrong';
  const text = answer.body.trim().replaceAll(/\s+/g, ' ');
  if (isAccepted(answer)) return `, and the record is not where response.record says: ${text.slice(0, 200)}`;
  return text === '' ? '' : `: ${text.slice(0, 200)}`;
}
