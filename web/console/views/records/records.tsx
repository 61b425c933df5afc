import './records.css';
import { visible } from '../../../ui/text.ts';
import { Action, actionsOf } from '../../app/action.tsx';
import { useConsole, useGet } from '../../app/context.ts';
import { ModelList } from '../../app/model-list.tsx';
import { href, useRoute } from '../../app/route.ts';
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
  const console = useConsole();
  const { value, error } = useGet<{ readonly counts: Readonly<Record<string, number>> }>('/counts');
  return (
    <div>
      {error && <p class="notice fail">{error.message}</p>}
      <ModelList
        view="records"
        noteOf={(model) => (value ? (value.counts[model] ?? 0).toLocaleString('en') : ' ')}
        tools={<Action {...actionsOf(console).download} />}
      />
    </div>
  );
}
