import './records.css';
import { useState } from 'preact/hooks';
import { matches, visible, wordsOf } from '../../../ui/text.ts';
import { useCommands, useConsole, useLoad } from '../../app/context.ts';
import { saveFile } from '../../app/files.ts';
import { href, useRoute } from '../../app/route.ts';
import { useWrites } from '../../app/writes.ts';
import { RecordPage } from './record.tsx';
import { RecordTable } from './record-table.tsx';

/** The models with their counts, the table of a model, or one record. */
export function RecordsView() {
  const { facts } = useConsole();
  const { path } = useRoute();
  const [, model, id] = path;
  if (model === undefined) return <Overview />;
  if (facts.models[model] === undefined || !Object.hasOwn(facts.models, model))
    return (
      <p>
        There is no model {visible(model)}. <a href={href(['records'])}>Show all models</a>
      </p>
    );
  if (id === undefined) return <RecordTable key={model} model={model} />;
  if (id !== 'new' && !/^\d+$/.test(id))
    return (
      <p>
        {visible(`There is no ${model} ${id}, because an ID is a number.`)}{' '}
        <a href={href(['records', model])}>Show all {model} records</a>
      </p>
    );
  return <RecordPage key={`${model} ${id}`} model={model} id={id === 'new' ? undefined : Number(id)} />;
}

function Overview() {
  const { api, facts, fail } = useConsole();
  const [text, setText] = useState('');
  const {
    value: counts,
    error,
    reload,
  } = useLoad(
    async () => (await api.get<{ counts: Readonly<Record<string, number>> }>('/counts')).counts,
    [api],
  );
  useWrites(api, reload);
  const download = async () => {
    try {
      saveFile('fixtures.json', `${JSON.stringify(await api.get('/state'), null, 2)}\n`);
    } catch (error) {
      fail(error);
    }
  };
  useCommands([{ title: 'Download all records as fixtures', group: 'Records', run: download }], [api]);
  const words = wordsOf(text);
  const isEmpty = facts.areas.every(({ models, name }) =>
    models.every((model) => !matches([model, name], words)),
  );
  return (
    <div>
      <search class="filters">
        <input
          type="search"
          aria-label="Filter models"
          placeholder="Filter models"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="button" class="plain" onClick={download}>
          Download all as fixtures
        </button>
      </search>
      {error && <p class="notice bad">{error.message}</p>}
      {isEmpty && <p class="soft">No model has these words.</p>}
      <div class="areas">
        {facts.areas.map(({ about, models, name }) => {
          const found = models.filter((model) => matches([model, name], words));
          if (found.length === 0) return null;
          return (
            <section key={name} class="card">
              <h2>{name}</h2>
              <p class="soft">{about}</p>
              <ul>
                {found.map((model) => (
                  <li key={model}>
                    <a href={href(['records', model])}>{model}</a>
                    <span class="number soft">
                      {counts ? (counts[model] ?? 0).toLocaleString('en') : ' '}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </div>
  );
}
