import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Input } from '../../ui/input.tsx';
import { matches } from '../../ui/text.ts';
import { useConsole } from './context.ts';
import { href } from './route.ts';

/** The models by area, as links to a view, with a search box. */
export function ModelList({
  view,
  label,
  noteOf,
  tools,
}: {
  view: string;
  label: string;
  /** Returns the text next to a model. */
  noteOf: (model: string) => string;
  tools?: ComponentChildren;
}) {
  const { areas, models } = useConsole().facts;
  const [text, setText] = useState('');
  const found = areas
    .map((area) => ({
      ...area,
      models: area.models.filter((model) =>
        matches([area.name, model, ...(models[model]?.fields ?? []).map(({ name }) => name)], text),
      ),
    }))
    .filter((area) => area.models.length > 0);
  return (
    <>
      <search class="tools filters">
        <Input kind="search" label={label} value={text} change={setText} />
        {tools}
      </search>
      {found.length === 0 && <p class="soft">No model or field has these words.</p>}
      <div class="areas">
        {found.map(({ about, models: names, name, section }) => (
          <section key={name} class="card">
            <h2>
              {name} {section !== undefined && <span class="soft">section {section}</span>}
            </h2>
            <p class="soft">{about}</p>
            <ul>
              {names.map((model) => (
                <li key={model}>
                  <a href={href([view, model])}>{model}</a>
                  <span class="number soft">{noteOf(model)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}
