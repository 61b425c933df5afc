import { useState } from 'preact/hooks';
import type { FaultRule } from '../../../../mock/control/faults/fault-rule.ts';
import type { ListedFault } from '../../../../mock/control/faults/faults.ts';
import { countOf, visible } from '../../../ui/text.ts';
import { Action, actionsOf } from '../../app/action.tsx';
import { useConsole, useLoad } from '../../app/context.ts';
import { Field, Form, Switch } from '../../app/form.tsx';
import { useRoute } from '../../app/route.ts';
import { Clock } from './clock.tsx';
import { Forwarding } from './forwarding.tsx';
import { describeFault, TEMPLATES } from './templates.ts';

/** Milliseconds between two looks at the numbers of hits. */
const REFRESH = 1500;

/** The faults of the session with a form for new ones, and its clock. */
export function FaultsView() {
  const console = useConsole();
  const { api } = console;
  const { value: faults = [], error } = useLoad(
    async () => (await api.get<{ faults: readonly ListedFault[] }>('/faults')).faults,
    [api],
    REFRESH,
  );
  return (
    <div class="stack">
      <section class="card" aria-labelledby="new-fault">
        <h2 id="new-fault">New fault</h2>
        <FaultForm />
      </section>
      <section class="card" aria-labelledby="active-faults">
        <div class="tools">
          <h2 id="active-faults">Faults</h2>
          <Action {...actionsOf(console).deleteFaults} kind="plain danger" disabled={faults.length === 0} />
        </div>
        {error && <p class="notice fail">{error.message}</p>}
        {faults.length === 0 ? (
          <p class="soft">This session has no faults. Requests get their usual responses.</p>
        ) : (
          <ul class="rows-list">
            {faults.toReversed().map((fault) => (
              <FaultRow key={fault.id} fault={fault} />
            ))}
          </ul>
        )}
      </section>
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
  const isOn = fault.enabled !== false;
  // Such a fault has no effect on later requests.
  const isUsedUp = hits >= (fault.times ?? Number.POSITIVE_INFINITY);
  return (
    <li class={isOn ? '' : 'off'}>
      <Switch checked={isOn} change={change} label={`Fault ${id}: ${text}`}>
        <span class="wrap">{visible(text)}</span>
      </Switch>
      {isUsedUp && <span class="badge skip">used up</span>}
      <span class="soft">{countOf(hits, 'hit')}</span>
      <Action title="Delete" name={`Delete fault ${id}`} kind="plain danger" run={remove} />
    </li>
  );
}

function FaultForm() {
  const { api, facts, say } = useConsole();
  const { query } = useRoute();
  const [name, setName] = useState('error');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [target, setTarget] = useState(query.match ?? '');
  const [which, setWhich] = useState('all');
  const [number, setNumber] = useState('1');
  const template = TEMPLATES.find((one) => one.name === name) ?? TEMPLATES[0];
  if (!template) return null;
  const { begin, label, ...limits } = template.input ?? { begin: '' };
  const text = texts[name] ?? begin;
  const submit = async () => {
    const rule: FaultRule = {
      ...(target !== '' && { match: matchOf(target) }),
      ...template.effect(text),
      ...(which !== 'all' && { [which]: Number(number) }),
    };
    await api.post('/faults', rule);
    say(`The fault is active: ${describeFault(rule)}.`);
  };
  return (
    <Form submit={submit} title="Add this fault">
      <div class="fields">
        <Field
          label="Kind"
          value={name}
          options={TEMPLATES.map((one) => [one.name, one.title])}
          change={setName}
        />
        {label !== undefined && (
          <Field
            key={name}
            label={label}
            kind="number"
            required
            {...limits}
            value={text}
            change={(next) => setTexts({ ...texts, [name]: next })}
          />
        )}
        <Field
          label="Operation"
          value={target}
          placeholder="all requests"
          list={targetsOf(facts)}
          hint="such as createBrand, create, model brand, or a path with *"
          change={setTarget}
        />
        <Field
          label="Requests"
          value={which}
          options={[
            ['all', 'every matching request'],
            ['times', 'at most this many'],
            ['every', 'each nth'],
            ['nth', 'only the nth'],
          ]}
          change={setWhich}
        />
        {which !== 'all' && (
          <Field label="Number" kind="number" min={1} required value={number} change={setNumber} />
        )}
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
function targetsOf({ models }: ReturnType<typeof useConsole>['facts']): string[] {
  const operations = Object.entries(models).flatMap(([model, facts]) =>
    facts.operations.map((operation) => VERBS[operation] + model.charAt(0).toUpperCase() + model.slice(1)),
  );
  return [...Object.keys(VERBS), ...operations, ...Object.keys(models).map((model) => `model ${model}`)];
}
