import { createMock, type MockOptions } from '../../mock/mock.ts';
import { type Catalogue, loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { createProfile, type Profile } from '../../spec/profile/profile.ts';
import { loadReferences, type References } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { stringifyForm } from '../../spec/wire/form.ts';

export const catalogue: Catalogue = loadCatalogue();
export const references: References = loadReferences(catalogue);

/** Every type, value lists, lines, a readonly model and one without writable fields; small, so that tests are quick. */
const FEW = [
  'warehouse',
  'stockDelivery',
  'stockOrder',
  'stockOrderLine',
  'stockInvoice',
  'stockInvoiceLine',
  'subscriptionTask',
  'voucherType',
  'customer',
  'customerToTag',
  'stockTransaction',
  'relationship',
  'taskComment',
  'supplier',
  'subscriptionCustomer',
];
export const few: Catalogue = {
  ...catalogue,
  models: new Map([...catalogue.models].filter(([name]) => FEW.includes(name))),
};

/** Options of a mock of these models without records. */
export const FEW_MODELS = { catalogue: few, references, fixtures: new Map() };

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; undefined when there is none. */
  readonly body: unknown;
};

export type Asked = Awaited<ReturnType<typeof startMock>>;

/** Creates a mock whose clock is stopped until a test moves it. */
export async function startMock(
  settings: Readonly<Record<string, unknown>> = {},
  options: Omit<MockOptions, 'catalogue'> & { readonly catalogue?: Catalogue } = {},
) {
  const profile = createProfile(settings, options.catalogue ?? catalogue);
  let now = Date.UTC(2025, 9, 22, 9, 30);
  const clock = () => new Date(now);
  const onError = (error: unknown) => {
    throw error;
  };
  const mock = await createMock({ catalogue: few, profile, references, clock, onError, ...options });
  return {
    mock,
    profile,
    ask,
    /** Creates a record, and returns it under the profile; fails when the status says no. */
    create: async (model: string, sent: unknown) => {
      const { status, body } = await ask('POST', `/${model}`, sent);
      if (status !== profile['status.created']) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body as Record<string, Value> & { id: number };
    },
    /** Moves the clock on. */
    wait: (seconds: number) => {
      now += seconds * 1000;
    },
  };

  /** Sends a request to a path of the control API, or below the base; `sent` is written in the encoding of the profile. */
  async function ask(
    method: string,
    path: string,
    sent?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isControl = path.startsWith('/__mock');
    const body =
      sent === undefined ? {} : { body: write(sent, isControl ? 'json' : profile['request.encoding']) };
    const type =
      sent === undefined ? {} : { 'content-type': isControl ? 'application/json' : typeOf(profile) };
    const base = isControl ? '' : mock.base;
    const response = await mock.fetch(
      new Request(`http://mock.invalid${base}${path}`, { method, headers: { ...type, ...headers }, ...body }),
    );
    const text = await response.text();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === '' ? undefined : JSON.parse(text),
    };
  }
}

function typeOf(profile: Profile): string {
  return profile['request.encoding'] === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
}

function write(sent: unknown, encoding: Profile['request.encoding']): string {
  if (typeof sent === 'string') return sent;
  if (encoding === 'json') return JSON.stringify(sent);
  return stringifyForm(sent as Record<string, Value>);
}

/** The violations of an answer as `pointer message`, or `?parameter message`. */
export function violationsOf({ body }: Answer): string[] {
  const { violations = [] } = body as {
    violations?: { pointer?: string; parameter?: string; message: string }[];
  };
  return violations.map(({ message, parameter, pointer = `?${parameter}` }) =>
    `${pointer} ${message}`.trim(),
  );
}
