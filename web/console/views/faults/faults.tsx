import { useEffect, useState } from 'preact/hooks';
import type { FaultRule } from '../../../../mock/control/faults/fault-rule.ts';
import type { ListedFault } from '../../../../mock/control/faults/faults.ts';
import type { ForwardChange, ForwardState } from '../../../../mock/forwarding/forwarding.ts';
import type { ContractFacts } from '../../../../spec/meta/meta.ts';
import { Check, type InputProps, useText } from '../../../ui/input.tsx';
import { Card } from '../../../ui/parts.tsx';
import { countOf, visible } from '../../../ui/text.ts';
import { Action, actionsOf } from '../../app/action.tsx';
import { ApiError } from '../../app/api.ts';
import { useConsole, useGet, useLoad } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { useRoute } from '../../app/route.ts';

/** Milliseconds between two looks at the numbers of hits. */
const REFRESH = 1500;

/** The faults of the session with a form for new ones, and its clock. */
export function FaultsView() {
  const console = useConsole();
  const { value, error } = useGet<{ readonly faults: readonly ListedFault[] }>('/faults', {}, REFRESH);
  const faults = value?.faults ?? [];
  const { deleteFaults } = actionsOf(console);
  return (
    <div class="stack">
      <Card title="New fault">
        <FaultForm />
      </Card>
      <Card title="Faults" tools={<Action {...deleteFaults} disabled={faults.length === 0} />} error={error}>
        {faults.length === 0 ? (
          <p class="soft">This session has no faults. Requests get their usual responses.</p>
        ) : (
          <ul class="rows-list">
            {faults.toReversed().map((fault) => (
              <FaultRow key={fault.id} fault={fault} />
            ))}
          </ul>
        )}
      </Card>
      <Clock />
      <Forwarding />
    </div>
  );
}

function FaultRow({ fault }: { fault: ListedFault }) {
  const { api, run, say } = useConsole();
  const { hits, id, ...rule } = fault;
  const remove = () =>
    run(async () => {
      await api.delete(`/faults/${id}`);
      say(`Fault ${id} is deleted.`, { title: 'Undo', run: () => run(() => api.post('/faults', rule)) });
    });
  const change = (enabled: boolean) => run(() => api.patch(`/faults/${id}`, { enabled }));
  const text = describeFault(fault);
  // Such a fault has no effect on later requests.
  const isUsedUp = hits >= (fault.times ?? Number.POSITIVE_INFINITY);
  return (
    <li class={`tools ${fault.enabled ? '' : 'off'}`}>
      <Check role="switch" checked={fault.enabled} change={change} aria-label={`Fault ${id}: ${text}`}>
        <span class="wrap">{visible(text)}</span>
      </Check>
      {isUsedUp && <span class="badge skip">used up</span>}
      <span class="soft">{countOf(hits, 'hit')}</span>
      <Action title="Delete" name={`Delete fault ${id}`} kind="plain danger" run={remove} />
    </li>
  );
}

/** A kind of fault that the form offers. */
type Template = {
  readonly name: string;
  readonly title: string;
  /** The number that it needs. */
  readonly input?: { readonly label: string; readonly begin: string } & Pick<InputProps, 'min' | 'max'>;
  /** Returns the effect of the fault for the text of the input. */
  readonly effect: (text: string) => FaultRule;
};

const TEMPLATES: readonly [Template, ...Template[]] = [
  {
    name: 'error',
    title: 'Error',
    input: { label: 'Status', begin: '503', min: 200, max: 599 },
    effect: (text) => ({ status: Number(text) }),
  },
  {
    name: 'delay',
    title: 'Delay',
    input: { label: 'Delay in ms', begin: '2000', min: 0, max: 600_000 },
    effect: (text) => ({ delay: Number(text) }),
  },
  {
    name: 'slow',
    title: 'Slow body',
    input: { label: 'Bytes per second', begin: '200', min: 1 },
    effect: (text) => ({ bytesPerSecond: Number(text) }),
  },
  { name: 'drop', title: 'Lost connection, nothing done', effect: () => ({ drop: 'before' }) },
  { name: 'drop-after', title: 'Lost connection, but done', effect: () => ({ drop: 'after' }) },
  { name: 'drop-body', title: 'Lost connection in the body', effect: () => ({ drop: 'mid-body' }) },
  {
    name: 'limit',
    title: 'Rate limit (429)',
    input: { label: 'Retry-After in seconds', begin: '30', min: 0 },
    effect: (text) => ({ status: 429, headers: { 'retry-after': text } }),
  },
];

const DROPS = {
  before: 'lost connection',
  after: 'lost connection, but done',
  'mid-body': 'lost connection in the body',
};

/** Describes a fault in words, such as `503 for createBrand, once`. */
function describeFault(rule: FaultRule): string {
  const { bytesPerSecond, delay, drop, every, match = {}, nth, probability, status, times } = rule;
  const delays = typeof delay === 'object' ? `${delay.min} to ${delay.max}` : delay;
  const places = Object.entries(match).map(([name, value]) =>
    name === 'operation' ? String(value) : `${name} ${value}`,
  );
  const effects = [
    status !== undefined && String(status),
    status === undefined && rule.body !== undefined && 'another body',
    delay !== undefined && `${delays} ms delay`,
    bytesPerSecond !== undefined && `${bytesPerSecond} bytes per second`,
    drop !== undefined && DROPS[drop],
  ];
  const limits = [
    nth !== undefined && `only the ${ordinal(nth)} request`,
    every !== undefined && every !== 1 && `each ${ordinal(every)} request`,
    times !== undefined && (times === 1 ? 'once' : `${times} times`),
    probability !== undefined && `${Math.round(probability * 100)} % of requests`,
  ];
  const effect = effects.filter(Boolean).join(', ');
  return [`${effect} for ${places.join(', ') || 'all requests'}`, ...limits.filter(Boolean)].join(', ');
}

/** Returns `2nd`. */
function ordinal(number: number): string {
  const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(number);
  return `${number}${endings[rule] ?? 'th'}`;
}

function FaultForm() {
  const { api, facts, say } = useConsole();
  const { query } = useRoute();
  const kind = useText('error');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const target = useText(query.match);
  const which = useText('all');
  const number = useText('1');
  const template = TEMPLATES.find((one) => one.name === kind.value) ?? TEMPLATES[0];
  const { begin, label, ...limits } = template.input ?? { begin: '' };
  const text = texts[kind.value] ?? begin;
  const submit = async () => {
    const rule: FaultRule = {
      ...(target.value !== '' && { match: matchOf(target.value) }),
      ...template.effect(text),
      ...(which.value !== 'all' && { [which.value]: Number(number.value) }),
    };
    await api.post('/faults', rule);
    say(`The fault is active: ${describeFault(rule)}.`);
  };
  return (
    <Form submit={submit} title="Add this fault">
      <div class="fields">
        <Field label="Kind" options={TEMPLATES.map((one) => [one.name, one.title])} {...kind} />
        {label !== undefined && (
          <Field
            key={kind.value}
            label={label}
            kind="number"
            required
            {...limits}
            value={text}
            change={(next) => setTexts({ ...texts, [kind.value]: next })}
          />
        )}
        <Field
          label="Operation"
          placeholder="all requests"
          list={targetsOf(facts)}
          hint="such as createBrand, create, model brand, or a path with *"
          {...target}
        />
        <Field
          label="Requests"
          options={[
            ['all', 'every matching request'],
            ['times', 'at most this many'],
            ['every', 'each nth'],
            ['nth', 'only the nth'],
          ]}
          {...which}
        />
        {which.value !== 'all' && <Field label="Number" kind="number" min={1} required {...number} />}
      </div>
    </Form>
  );
}

/** Reads the target of a fault: a path, `model brand`, or an operation. */
function matchOf(text: string): NonNullable<FaultRule['match']> {
  const target = text.trim();
  if (target.startsWith('/')) return { path: target };
  const [, model] = /^model (\w+)$/.exec(target) ?? [];
  return model === undefined ? { operation: target } : { model };
}

const VERBS = {
  list: 'list',
  retrieve: 'get',
  create: 'create',
  update: 'update',
  delete: 'delete',
} as const;

/** Returns the targets that complete the text: operations of all models, kinds of operations, and models. */
function targetsOf({ models }: ContractFacts): string[] {
  const operations = Object.entries(models).flatMap(([model, facts]) =>
    facts.operations.map((operation) => VERBS[operation] + model.charAt(0).toUpperCase() + model.slice(1)),
  );
  return [...Object.keys(VERBS), ...operations, ...Object.keys(models).map((model) => `model ${model}`)];
}

/** The clock of the session: stop, set, advance. */
function Clock() {
  const console = useConsole();
  const { api } = console;
  const { value, error } = useLoad(async () => {
    const { frozen, now } = await api.get<{ readonly now: string; readonly frozen: boolean }>('/clock');
    return { frozen, now: Date.parse(now), seenAt: Date.now() };
  }, [api]);
  const [, tick] = useState(0);
  const text = useText();
  useEffect(() => {
    const timer = setInterval(() => tick((last) => last + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const { advanceClock, startClock, stopClock } = actionsOf(console);
  const frozen = value?.frozen ?? false;
  const now = value && value.now + (frozen ? 0 : Date.now() - value.seenAt);
  return (
    <Card title="Clock of the session" error={error}>
      <p class="clock">
        <time>
          {now === undefined ? '–' : new Date(now).toISOString().replace('T', ' ').replace(/\..*/, ' UTC')}
        </time>{' '}
        <span class="soft">{frozen ? 'stopped' : 'runs'}</span>
      </p>
      <p class="tools">
        <Action {...(frozen ? startClock : stopClock)} />
        <span class="soft">Advance by</span>
        {advanceClock.map((action) => (
          <Action key={action.title} {...action} />
        ))}
      </p>
      <Form
        title="Set"
        about="now"
        submit={() => api.put('/clock', { now: new Date(`${text.value}Z`).toISOString() })}
      >
        <Field label="Set to (UTC)" name="now" kind="datetime-local" step={1} required {...text} />
      </Form>
    </Card>
  );
}

/** The real service that answers some models: a switch, and the choice of models. Shown if the mock has one. */
function Forwarding() {
  const { api, facts, run, say } = useConsole();
  const { value, error } = useGet<ForwardState>('/forward');
  const [text, setText] = useState<string>();
  if (!value || (error instanceof ApiError && error.status === 404)) return null;
  const models = text ?? value.models.join(', ');
  const change = async (next: ForwardChange) => {
    await api.patch('/forward', next);
    say('The forwarding is changed for all sessions.');
    // Keeps what is typed in the meantime.
    setText((now) => (now === text ? undefined : now));
  };
  const submit = () => change({ models: models.split(/[\s,]+/).filter(Boolean) });
  return (
    <Card title="Real service">
      <p class="soft">
        {value.url} answers the models below{value.write ? '' : ', only GET requests'}. The mock answers the
        others. This holds for all sessions.
      </p>
      <Check role="switch" checked={value.enabled} change={(enabled) => run(() => change({ enabled }))}>
        Forward to the real service
      </Check>
      <Form title="Forward these models" about="models" submit={submit}>
        <Field
          label="Models"
          name="models"
          value={models}
          required
          hint={`separated by commas, such as ${Object.keys(facts.models).slice(0, 2).join(', ')}`}
          change={setText}
        />
      </Form>
    </Card>
  );
}
