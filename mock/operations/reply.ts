import { ERROR_TYPES, envelope, PHRASES } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { onceFor } from '../../spec/once-for.ts';
import { headerIn, isBodiless, type Profile, placeIn, profileAt } from '../../spec/profile/profile.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import { type ShownViolation, showViolations, type Violation } from '../engine/violation.ts';
import { type ServedReply, STATUS_CODES } from '../http/http.ts';

/** A response; header names are in lower case. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The violations of the request. Depending on the profile, the body has them, too. */
  readonly violations?: readonly ShownViolation[] | undefined;
  /** The reason for the refusal. Depending on the profile, the body has it, too. */
  readonly detail?: string;
  readonly ignored?: readonly string[] | undefined;
  /** The response for the client, if `headers` and `body` are only its text for the log (`asReply`). */
  readonly served?: ServedReply | undefined;
  readonly forwarded?: true;
};

/** Returns a response that is passed on as it is. The log has a text instead of its body. */
export function asReply(served: ServedReply, text: string): Reply {
  const headers = Object.entries(served.headers).map(([name, value]) => [
    name,
    [value].flat().join(name === 'set-cookie' ? '\n' : ', '),
  ]);
  return { status: served.status, headers: Object.fromEntries(headers), body: text, served };
}

export type Refusal = {
  readonly status: number;
  readonly detail: string;
  readonly violations?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the model in the path, whose errors can have another form. */
  readonly model?: string | undefined;
};

export type Replies = ReturnType<typeof createReplies>;

/** Maximum length of a list in bytes, because a list takes several times its length in memory. */
const LONGEST_LIST = 64 * 1024 * 1024;
const TOO_LONG = 'The list has more than 64 MiB. Request fewer records, for example with paging parameters.';

const JSON_TYPE = { 'content-type': 'application/json' };
const NONE: Reply['headers'] = {};

export function createReplies(profile: Profile, codec: RecordCodec) {
  const one = onceFor(({ name }: Model) => {
    const pointer = pointerFor(profileAt(profile, name)['response.record'], name);
    return JSON.stringify(envelope([[pointer, RECORDS]]));
  });
  const list = onceFor(({ name }: Model) => {
    const own = profileAt(profile, name);
    const total = placeIn(own['response.total']);
    const totals = total?.in === 'body' ? [[total.name, TOTAL] as const] : [];
    return JSON.stringify(envelope([[pointerFor(own['response.records'], name), RECORDS], ...totals]));
  });
  /** The texts of stored records, which never change. */
  const texts = new WeakMap<RecordValues, string>();
  const holdsLines = onceFor(({ fields }: Model) => fields.some((field) => field.lines !== undefined));
  return { retrieved, record, records, deleted, refusal };

  /** Writes a stored record, and keeps its text for the next time. */
  function retrieved(model: Model, values: RecordValues): Reply {
    return { status: 200, headers: JSON_TYPE, body: fillIn(one(model), RECORDS, writeOnce(model, values)) };
  }

  function record(status: number, model: Model, values: RecordValues, headers?: Reply['headers']): Reply {
    const body = fillIn(one(model), RECORDS, write(model, values));
    return { status, headers: headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE, body };
  }

  function records(model: Model, values: readonly RecordValues[], total: number): Reply {
    const all: string[] = [];
    let length = 0;
    for (const each of values) {
      const text = writeOnce(model, each);
      length += text.length;
      if (length > LONGEST_LIST) return refusal({ status: 507, detail: TOO_LONG, model: model.name });
      all.push(text);
    }
    const body = fillIn(fillIn(list(model), TOTAL, String(total)), RECORDS, `[${all.join(',')}]`);
    const own = profileAt(profile, model.name);
    const header = headerIn(own['response.total'])?.toLowerCase();
    const headers = header === undefined ? JSON_TYPE : { ...JSON_TYPE, [header]: String(total) };
    return { status: 200, headers, body };
  }

  function deleted(model: Model, values: RecordValues): Reply {
    const own = profileAt(profile, model.name);
    const status = own['status.deleted'];
    // With these two statuses, delete.answer has no effect: they have no body (RFC 9110, 15.3.5 and 15.3.6).
    if (own['delete.answer'] === 'none' || isBodiless(status)) return { status, headers: NONE, body: '' };
    if (own['delete.answer'] === 'record') return record(status, model, values);
    const yes = profileAt(profile, `${model.name}.deleted`)['types.bool'] === 'bool' ? true : 1;
    return { status, headers: JSON_TYPE, body: JSON.stringify({ deleted: yes }) };
  }

  function refusal({ status, detail, violations, headers, model = '' }: Refusal): Reply {
    const shown = violations && showViolations(violations);
    const found = shown && shown.length > 0 ? { violations: shown } : {};
    switch (profileAt(profile, model)['errors.form']) {
      case 'problem':
        return { ...problem(status, detail, found, headers), violations: shown, detail };
      case 'simple': {
        const body = JSON.stringify({ error: detail, ...found });
        const all = { 'content-type': ERROR_TYPES.simple, ...headers };
        return { status, headers: all, body, violations: shown, detail };
      }
      case 'empty':
        return { status, headers: headers ?? NONE, body: '', violations: shown, detail };
    }
  }

  function write(model: Model, values: RecordValues): string {
    return JSON.stringify(codec.encode(model.name, values));
  }

  /** Keeps the text of a stored record without lines for the next time. */
  function writeOnce(model: Model, values: RecordValues): string {
    const known = texts.get(values);
    if (known !== undefined) return known;
    const text = write(model, values);
    if (!holdsLines(model)) texts.set(values, text);
    return text;
  }
}

// No envelope contains these, because its names have only letters, digits, -, and _.
const RECORDS = '@records';
const TOTAL = '@total';

function fillIn(template: string, place: string, text: string): string {
  return template.replace(`"${place}"`, () => text);
}

/** Returns an error in the form of RFC 9457, also if errors.form differs. Its status is its type (4.2.1). */
export function problem(
  status: number,
  detail: string,
  more: object = {},
  headers: Reply['headers'] = {},
): Pick<Reply, 'status' | 'headers' | 'body'> {
  const title = PHRASES[status] ?? STATUS_CODES[status] ?? 'Error';
  return {
    status,
    headers: { 'content-type': ERROR_TYPES.problem, ...headers },
    body: JSON.stringify({ type: 'about:blank', title, status, detail, ...more }),
  };
}
