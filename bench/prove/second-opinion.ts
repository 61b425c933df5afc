import type { Mock } from '../../mock/mock.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';

/** Sees the exchanges of a run under the default profile. Shares no code with the suite's judge. */
export type SecondOpinion = {
  readonly answer: Mock['answer'];
  /** The fields that had a wrong form, or did not keep what was sent: `brand.name`. */
  readonly complaints: ReadonlySet<string>;
};

type Json = Readonly<Record<string, unknown>>;
/** The values that a record has to show, and the writes to it. */
type Kept = { values: Map<string, unknown>; writes: number; underWay: number };

const isWhole = Number.isInteger;
const isNumber = (value: unknown) => typeof value === 'number';
const isText = (value: unknown) => typeof value === 'string';
const isForm = (form: RegExp) => (value: unknown) => typeof value === 'string' && form.test(value);

/** The form of each type under the default profile, as far as one line can say it. */
const FORMS: Readonly<Record<Field['type'], (value: unknown) => boolean>> = {
  int: isWhole,
  float: isNumber,
  currency: isNumber,
  percent: isNumber,
  bool: (value) => typeof value === 'boolean',
  string: isText,
  text: isText,
  markdown: isText,
  email: isText,
  url: isText,
  image: isText,
  fkModel: isText,
  duration: (value) => isText(value) || isNumber(value),
  date: isForm(/^\d{4}-\d\d-\d\d$/),
  time: isForm(/^\d\d:\d\d(:\d\d)?/),
  datetime: isForm(/^\d{4}-\d\d-\d\dT\d\d:\d\d/),
  select: (value) => isText(value) || isNumber(value),
  manyToMany: (value) => Array.isArray(value) && value.every(isWhole),
  daysOfWeek: (value) => Array.isArray(value) && value.every(isWhole),
  lines: (value) => Array.isArray(value),
};

/** Watches a mock with one person's plain reading of the source, for a run that might misjudge it. */
export function createSecondOpinion({ answer }: Pick<Mock, 'answer'>, catalogue: Catalogue): SecondOpinion {
  const complaints = new Set<string>();
  const keptBy = new Map<string, Kept>();
  return { answer: watch, complaints };

  async function watch(...[request]: Parameters<Mock['answer']>): ReturnType<Mock['answer']> {
    const [path = '', query] = request.target.split('?');
    const [name = '', id] = path.slice(catalogue.base.length + 1).split('/');
    const model = catalogue.models.get(name);
    if (!model) return answer(request);
    const kept = id === undefined ? undefined : keptOf(`${name}/${id}`);
    const writesBefore = kept?.writes;
    const isWrite = request.method !== 'GET';
    if (kept && isWrite) begin(kept);
    const response = await answer(request);
    const shown = response.status < 300 ? parse(response.body) : undefined;
    for (const record of [shown].flat()) if (isRecord(record)) readShape(model, record);
    const record = isRecord(shown) ? shown : undefined;
    if (kept && isWrite) end(kept);
    if (request.method === 'DELETE' || response.status >= 500) kept?.values.clear();
    const own =
      request.method === 'POST' && id === undefined && record ? keptOf(`${name}/${record.id}`) : kept;
    if (isWrite && request.method !== 'DELETE' && own && response.status < 300)
      take(model, own, parse(request.body ?? ''));
    const isCalm = isWrite ? own?.underWay === 0 : own?.writes === writesBefore && own?.underWay === 0;
    if (own && record && isCalm && query === undefined) readValues(model, own, record);
    return response;
  }

  function keptOf(key: string): Kept {
    const kept = keptBy.get(key) ?? { values: new Map(), writes: 0, underWay: 0 };
    keptBy.set(key, kept);
    return kept;
  }

  function readShape(model: Model, record: Json): void {
    for (const field of model.fields) {
      const value = record[field.name];
      if (value === undefined || value === null ? field.required : value !== '' && !FORMS[field.type](value))
        complaints.add(field.key);
    }
  }

  function readValues(model: Model, { values }: Kept, record: Json): void {
    for (const field of model.fields)
      if (values.has(field.name) && !isSame(values.get(field.name), record[field.name]))
        complaints.add(field.key);
  }
}

/** Two writes at once leave open which value a record has. */
function begin(kept: Kept): void {
  kept.writes++;
  if (++kept.underWay > 1) kept.values.clear();
}

function end(kept: Kept): void {
  kept.writes++;
  if (--kept.underWay > 0) kept.values.clear();
}

/** Remembers the valid scalar values of an accepted write. */
function take({ fields }: Model, { values }: Kept, sent: unknown): void {
  if (!isRecord(sent)) return;
  for (const { name, readonly, type } of fields) {
    if (!Object.hasOwn(sent, name)) continue;
    const value = sent[name];
    const isPlain = !readonly && (value ?? '') !== '' && !Array.isArray(value) && FORMS[type](value);
    if (isPlain) values.set(name, value);
    else values.delete(name);
  }
}

function isSame(sent: unknown, shown: unknown): boolean {
  if (sent === shown) return true;
  const moments = [sent, shown].map((value) => Date.parse(String(value)));
  return String(sent).includes('T') && moments[0] === moments[1];
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
