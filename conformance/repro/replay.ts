import type { createForm, FormOptions, Seen } from './form.ts';

/** A request of a script. `{{brand1}}` stands for the ID of the record that an earlier request created. */
export type ReplayStep = {
  readonly method: string;
  readonly path: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The name of the created record, and where the response has its ID. */
  readonly creates?: string;
  readonly id?: string;
  /** The status of the response when the failure was found, and its form if it shows the failure. */
  readonly was: { readonly status: number; readonly form?: unknown };
};

/** The data of a script. */
export type Repro = Pick<FormOptions, 'field' | 'links' | 'tag'> & {
  readonly case: string;
  readonly message: string;
  readonly expected: string;
  readonly target: string;
  /** The expected statuses: a number below 10 is their first digit. */
  readonly statuses: readonly number[];
  /** The status that the failure is about. */
  readonly status?: number;
  /** Whether every other status is the failure. */
  readonly onlyStatus: boolean;
  readonly steps: readonly ReplayStep[];
};

/** The arguments of a script, its environment, and its output. */
export type Surroundings = {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: (line: string) => void;
};

/**
 * Returns the exit code: 1 if the fault is there, 0 if not, 2 if this can't be decided. Repeats the
 * requests and deletes the created records. Scripts contain the
 * text of this function, so it uses nothing outside.
 */
export async function replay(
  repro: Repro,
  form: typeof createForm,
  { env, flags, say }: Surroundings,
): Promise<0 | 1 | 2> {
  const isHeader = (index: number) => flags[index] === '--header';
  const given = flags.find((flag, index) => !flag.startsWith('--') && !isHeader(index - 1));
  const base = (given ?? repro.target).replace(/\/+$/, '');
  const records: Record<string, { model: string; id: unknown }> = {};
  const created: string[] = [];
  const secrets = readSecrets();
  const tag = Math.random().toString(36).slice(2).padEnd(12, 'x').slice(0, repro.tag.length);
  const { hostname } = new URL(base);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  const isReading = repro.steps.every(({ method }) => method === 'GET');
  if (!isHere && !isReading && !flags.includes('--write')) {
    say(`${base} is not on this machine and might hold real data. To allow writes, pass --write.`);
    return 2;
  }
  say(`${repro.case}: ${repro.message}`);
  try {
    const isThere = await sendAll();
    say(isThere ? 'The fault is there.' : 'The fault is not there.');
    return isThere ? 1 : 0;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    say(`Undecided: ${cause?.message || message}`);
    return 2;
  } finally {
    await cleanUp();
  }

  async function sendAll(): Promise<boolean> {
    const shown: { step: ReplayStep; response: Seen }[] = [];
    const wanted = repro.steps.filter(({ was }) => was.form !== undefined).length;
    for (const step of repro.steps) {
      const path = filled(step.path);
      const response = await send(
        step.method,
        path,
        step.headers,
        step.body === undefined ? undefined : filled(step.body),
      );
      say(`${step.method} ${path} ${response.status}`);
      note(step, path, response);
      if (step.was.form === undefined) continue;
      shown.push({ step, response });
      // A write that is accepted now, or rejected, has another effect.
      if (isSuccess(response.status) !== isSuccess(step.was.status)) break;
    }
    const last = shown.at(-1);
    say(`expected  ${repro.expected}`);
    say(`found     status ${last?.response.status}: ${last?.response.body.slice(0, 1000)}`);
    const decisive = shown.findLast(({ step }) => step.was.status === repro.status) ?? last;
    const status = decisive?.response.status ?? 0;
    if (repro.statuses.some((one) => one === status || one === Math.floor(status / 100))) return false;
    if (repro.onlyStatus && (status >= 500 || repro.statuses.includes(2))) return true;
    const formOf = form({ ...repro, records, tag, time: Date.now() });
    return (
      shown.length === wanted &&
      shown.every(({ response, step }) => {
        const now = formOf(response, step.model, step.path);
        return JSON.stringify(now) === JSON.stringify(step.was.form);
      })
    );
  }

  async function send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Seen> {
    const signal = AbortSignal.timeout(20_000);
    const init = { method, headers: { ...headers, ...secrets }, redirect: 'manual', signal } as const;
    const response = await fetch(base + path, body === undefined ? init : { ...init, body });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
  }

  /** Notes the record that a request created. */
  function note({ creates, id = '', model }: ReplayStep, path: string, { body, status }: Seen): void {
    if (creates === undefined || !isSuccess(status)) return;
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return;
    }
    for (const key of id.split('/').slice(1)) value = (value as Record<string, unknown> | null)?.[key];
    if (value === undefined || value === null) return;
    records[creates] = { model, id: value };
    created.push(`${path.split('?')[0]}/${encodeURIComponent(String(value))}`);
  }

  /** Deletes the created records, the newest first. */
  async function cleanUp(): Promise<void> {
    const left: string[] = [];
    for (const path of created.toReversed()) {
      const response = await send('DELETE', path, {}).catch(() => undefined);
      const { status = 0 } = response ?? {};
      if (!isSuccess(status) && status !== 404 && status !== 410) left.push(path);
    }
    if (created.length > 0)
      say(`Deleted ${created.length - left.length} of ${created.length} created records.`);
    for (const path of left) say(`Not deleted: ${path}`);
  }

  /** Puts the IDs and the tag of this run into a text. */
  function filled(text: string): string {
    const withIds = text.replaceAll(/"\{\{#(\w+)\}\}"|\{\{(\w+)\}\}/g, (_, number, name) => {
      const record = records[number ?? name];
      if (record === undefined) throw new Error(`the record ${number ?? name} was not created`);
      return String(record.id);
    });
    return repro.tag === '' ? withIds : withIds.replaceAll(repro.tag, tag);
  }

  function isSuccess(status: number): boolean {
    return status >= 200 && status < 300;
  }

  /** Returns the headers with the credentials of the environment. */
  function readSecrets(): Record<string, string> {
    const { RECORD_MODEL_API_KEY: key, RECORD_MODEL_BASIC: basic, RECORD_MODEL_BEARER: bearer } = env;
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(key ?? '') ?? [];
    const lines = flags.flatMap((flag, index) => (isHeader(index - 1) ? [flag.split(/:\s*/, 2)] : []));
    return {
      ...Object.fromEntries(lines),
      ...(name === '' ? {} : { [name]: value }),
      ...(basic ? { authorization: `Basic ${Buffer.from(basic).toString('base64')}` } : {}),
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
    };
  }
}
