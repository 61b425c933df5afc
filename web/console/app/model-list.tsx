import type { ComponentChildren } from 'preact';
import { Input, useText } from '../../ui/input.tsx';
import { matches } from '../../ui/text.ts';
import { useConsole } from './context.ts';
import { href } from './route.ts';

type ModelListProps = {
  readonly view: string;
  /** Returns the text next to a model. */
  readonly noteOf: (model: string) => string;
  readonly tools?: ComponentChildren;
};

/** The models by area, as links to a view, with a search box. */
export function ModelList({ view, noteOf, tools }: ModelListProps) {
  const { areas, models } = useConsole().facts;
  const text = useText();
  const found = areas
    .map((area) => ({
      ...area,
      models: area.models.filter((model) =>
        matches([area.name, model, ...(models[model]?.fields ?? []).map(({ name }) => name)], text.value),
      ),
    }))
    .filter((area) => area.models.length > 0);
  return (
    <>
      <search class="tools filters">
        <Input kind="search" label="Filter models and fields" {...text} />
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
