import { useState } from 'preact/hooks';
import type { ForwardState } from '../../../../mock/forwarding/forwarding.ts';
import { ApiError } from '../../app/api.ts';
import { useConsole, useLoad } from '../../app/context.ts';
import { Field, Form, Switch } from '../../app/form.tsx';

/** The real service that answers some models: a switch, and the choice of models. Shown if the mock has one. */
export function Forwarding() {
  const { api, facts, run, say } = useConsole();
  const { value } = useLoad(async () => {
    try {
      return await api.get<ForwardState>('/forward');
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }, [api]);
  const [text, setText] = useState<string>();
  if (!value) return null;
  const models = text ?? value.models.join(', ');
  const change = async (next: { readonly enabled?: boolean; readonly models?: readonly string[] }) => {
    await api.patch('/forward', next);
    say('The forwarding is changed for all sessions.');
    setText(undefined);
  };
  const namesIn = (list: string) => list.split(/[\s,]+/).filter(Boolean);
  return (
    <section class="card" aria-labelledby="forwarding">
      <h2 id="forwarding">Real service</h2>
      <p class="soft">
        {value.url} answers the models below{value.write ? '' : ', only GET requests'}. The mock answers the
        others. This holds for all sessions.
      </p>
      <Switch checked={value.enabled} change={(enabled) => run(() => change({ enabled }))}>
        Forward to the real service
      </Switch>
      <Form title="Forward these models" about="models" submit={() => change({ models: namesIn(models) })}>
        <Field
          label="Models"
          name="models"
          value={models}
          required
          hint={`separated by commas, such as ${Object.keys(facts.models).slice(0, 2).join(', ')}`}
          change={setText}
        />
      </Form>
    </section>
  );
}
