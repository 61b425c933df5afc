import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import { createApi, type Watcher } from '../api/api.ts';
import { fetchList, type Listing } from '../api/listing.ts';
import type { BodyCheck } from '../assert/body-check.ts';
import { idsToSupply, whyDenied } from '../assert/expect.ts';
import { show, type WireCheck } from '../assert/wire-check.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import { Blocked, Failure } from '../plan/rule.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { createCaseValues } from './case-values.ts';
import type { CaseContext, MadeRecord, Minimal } from './context.ts';
import { deleteOne } from './deletion.ts';
import type { KnownRecords } from './known-records.ts';
import type { Links } from './links.ts';
import { idIn, idsToRemove, idTooLong } from './made-ids.ts';
import { observeModel } from './observation.ts';
import type { Made } from './removal.ts';
import type { SharedAnswers } from './shared-answers.ts';
import { updateEachField, updateOne } from './updating.ts';

export type ContextParts = PlanContext & {
  readonly target: Target;
  readonly readOnly: boolean;
  readonly check: WireCheck;
  readonly checkBody: BodyCheck;
  readonly codec: RecordCodec;
  readonly links: Links;
  readonly answers: SharedAnswers;
  readonly known: KnownRecords;
  readonly model: Model;
  readonly record: (exchange: Exchange) => void;
  /** See every request of the run. */
  readonly watchers: readonly Watcher[];
  /** Takes what the case makes, for whoever removes it. */
  readonly made: Made[];
  /** What was made for all cases of a run. */
  readonly shared: Made[];
  /** Takes what cases deleted themselves. */
  readonly deleted: Made[];
  readonly number: () => number;
};

/** What a case works with; see `CaseContext` for what each part promises. */
export function openContext(parts: ContextParts): CaseContext {
  const {
    answers,
    catalogue,
    check,
    checkBody,
    codec,
    deleted,
    known,
    links,
    made,
    model,
    number,
    profile,
    readOnly,
    record,
    references,
    shared,
    target,
    watchers,
  } = parts;
  const plan: PlanContext = { catalogue, profile, references };
  const api = createApi({ target, catalogue, profile: () => profile, record, watchers });
  const context: CaseContext = {
    ...plan,
    model,
    readOnly,
    codec,
    check,
    api,
    number,
    ...createCaseValues(model, plan, links, number),
    create,
    update,
    make,
    retrieve,
    read,
    readValues: async (id) => check.read(model, await read(id)),
    adopt,
    forget: (id) => {
      for (const list of [made, shared]) {
        const index = list.findIndex((item) => item.id === id && item.model === model);
        if (index >= 0) deleted.push(...list.splice(index, 1));
      }
    },
    ask: (question) => answers.ask(context, question),
    observe: () => answers.askSound(context, observeModel),
    updates: () => answers.askSound(context, updateEachField),
    wholeUpdate: () => answers.askSound(context, updateOne),
    deletion: () => answers.askSound(context, deleteOne),
    plainList: () => answers.askSound(context, listPlainly),
    minimal: () => answers.askSound(context, makeMinimal),
    whole: () => answers.askSound(context, makeWhole),
    remember: () => known.remember(context),
    wasThere: (id) => known.wasThere(model, id),
    show: (exchanges) => {
      for (const exchange of exchanges) record(exchange);
    },
    apiWith: api.under,
    listing,
    listed: async () => (await context.listing())?.records ?? [],
    assertNothingStored,
  };
  return context;

  async function create(values: RecordValues): Promise<Answer> {
    const body = codec.encodeNamed(model.name, values);
    checkBody('Create', model.name, body);
    await known.remember(context);
    const answer = await api.create(model.name, body);
    adopt(answer);
    if (isAccepted(answer) && idsToRemove(api, model, answer).length === 0)
      made.push({ model, id: undefined });
    return answer;
  }

  async function update(id: number, change: RecordValues, sent: RecordValues): Promise<Answer> {
    const values = profile['request.update'] === 'full' ? { ...sent, ...change } : change;
    const body = codec.encodeNamed(model.name, values);
    checkBody('Update', model.name, body);
    return api.update(model.name, id, body);
  }

  async function make(values: RecordValues = context.values('required')): Promise<MadeRecord> {
    const answer = await create(values);
    const id = idIn(api, answer);
    if (known.wasThere(model, id))
      throw new Blocked(`a create of a ${model.name} answers with the id ${id}, which a record had before`);
    if (id !== undefined) return { id, sent: values, answer };
    const hint = idsToSupply(context, answer, values);
    throw new Blocked(
      `a valid ${model.name} could not be made: ${describe(answer, api.recordIn(answer))}${hint}`,
      answer.exchange,
    );
  }

  async function retrieve(id: number): Promise<Answer> {
    const answer = await api.retrieve(model.name, id);
    if (isAccepted(answer) && api.recordIn(answer)) return answer;
    throw new Blocked(`a ${model.name} that was made can't be read: ${describe(answer)}`, answer.exchange);
  }

  async function read(id: number): Promise<RecordValues> {
    return api.recordIn(await retrieve(id)) ?? {};
  }

  async function listing(): Promise<Listing | undefined> {
    const found = await fetchList(api, model.name);
    if (found?.inexactId !== undefined) throw idTooLong(model, found.inexactId);
    return found;
  }

  function adopt(answer: Answer): number | undefined {
    const ids = idsToRemove(api, model, answer);
    const own = ids.find((id) => !known.wasThere(model, id));
    if (ids.length > 0) made.push({ model, id: own });
    if (own !== undefined) known.note(model, own);
    if (answer.inexactId !== undefined) throw idTooLong(model, answer.inexactId);
    const id = idIn(api, answer);
    return known.wasThere(model, id) ? undefined : id;
  }

  async function assertNothingStored(refused: readonly RecordValues[]): Promise<void> {
    const strays = await known.findStrays(context, refused);
    for (const { id } of strays) if (typeof id === 'number') made.push({ model, id });
    if (strays.length > 0)
      throw new Failure(
        'a refused create left a record behind',
        'nothing stored',
        `record ${show(strays[0]?.id)} with the values sent`,
      );
  }
}

function listPlainly({ api, model }: CaseContext): Promise<Answer> {
  return api.list(model.name);
}

async function makeMinimal(context: CaseContext): Promise<Minimal> {
  const { answer, id } = await context.make();
  return { created: answer, retrieved: await context.retrieve(id) };
}

async function makeWhole(context: CaseContext): Promise<RecordValues> {
  return context.read((await context.make(context.values('all'))).id);
}

/** An answer that does not show the record that was wanted, in a line. */
function describe(answer: Answer, shown?: RecordValues): string {
  const start = `${answer.asked} answered ${answer.status}`;
  const denied = whyDenied(answer);
  if (denied !== undefined) return `${start}: ${denied}`;
  // The exchange holds no credentials; what is cut first is not recognised later.
  const quoted = answer.exchange?.response.body ?? answer.body;
  const text = quoted.trim().replaceAll(/\s+/g, ' ').slice(0, 200);
  if (isAccepted(answer))
    return shown
      ? `${start}, and its id is no integer: ${show(shown.id)}`
      : `${start}, and the record is not where response.record says: ${text}`;
  return text === '' ? start : `${start}: ${text}`;
}
