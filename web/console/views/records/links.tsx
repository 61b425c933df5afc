import { useState } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { useText } from '../../../ui/input.tsx';
import { visible } from '../../../ui/text.ts';
import { Action } from '../../app/action.tsx';
import { useConsole, useGet, useLoad } from '../../app/context.ts';
import { Picker } from '../../app/picker.tsx';
import { href } from '../../app/route.ts';
import type { ValueInputProps } from './value-input.tsx';
import { kindOf, type Shown, titleOf } from './values.ts';

/** Maximum number of values in a condition. */
const MOST_VALUES = 100;
/** Maximum number of records that a search lists. */
const LISTED = 20;

/** A record that another one refers to. */
export type Link = { readonly field: string; readonly model: string; readonly id: number };
/** Some records of a model, and the number of all that match. */
export type Page = { readonly records: readonly Shown[]; readonly total: number };

/** Returns the links of a record to records of known models. */
export function linksOf(fields: readonly FieldFacts[], record: Shown, models: object): Link[] {
  return fields.flatMap(({ link, name }) =>
    link === undefined || !Object.hasOwn(models, link.model)
      ? []
      : [record[name]]
          .flat()
          .flatMap((id) => (typeof id === 'number' ? [{ field: name, model: link.model, id }] : [])),
  );
}

/** Loads the names of records. Returns the function that gives the name of one, such as `Altura` or `brand 5`. */
export function useNames(links: readonly Link[]): (link: Pick<Link, 'model' | 'id'>) => string {
  const { api } = useConsole();
  const wanted = Object.entries(Object.groupBy(links, ({ model }) => model)).flatMap(([model, some = []]) => {
    const ids = [...new Set(some.map(({ id }) => id))];
    const parts = Map.groupBy(ids.entries(), ([index]) => Math.floor(index / MOST_VALUES));
    return [...parts.values()].map((part) => ({ model, part: part.map(([, id]) => id) }));
  });
  const { value = {} } = useLoad(async () => {
    const found = await Promise.all(
      wanted.map(async ({ model, part }) => {
        const filters = JSON.stringify([{ field: 'id', operator: 'in', value: part }]);
        const query = { filters, deleted: true, limit: MOST_VALUES };
        const { records } = await api.get<Page>(`/records/${model}`, query);
        return records.map((record) => [`${model} ${record.id}`, titleOf(record)] as const);
      }),
    );
    return Object.fromEntries(found.flat());
  }, [api, JSON.stringify(wanted)]);
  return ({ id, model }) => value[`${model} ${id}`] || `${model} ${id}`;
}

/** A link to a record, with its name. */
export function RecordLink({ link, name }: { link: Pick<Link, 'model' | 'id'>; name: string }) {
  const { id, model } = link;
  const isNamed = name !== `${model} ${id}`;
  return (
    <a href={href(['records', model, id])} title={`${model} ${id}`}>
      {visible(name)}
      {isNamed && <span class="soft"> ({id})</span>}
    </a>
  );
}

/** The records that the text of a field names, and a button that finds another one. */
export function LinkTools({ field, value: text, change }: ValueInputProps) {
  const [isOpen, setIsOpen] = useState(false);
  const model = field.link?.model ?? '';
  const ids = text.split(',').flatMap((part) => (/^\s*\d+\s*$/.test(part) ? [Number(part)] : []));
  const links = ids.map((id) => ({ field: field.name, model, id }));
  const nameOf = useNames(links);
  const choose = (id: number) =>
    change(kindOf(field) === 'ids' ? [...new Set([...ids, id])].join(', ') : String(id));
  return (
    <span class="tools linked">
      <Action title="Choose" name={`Choose ${field.name}`} run={() => setIsOpen(true)} />
      {links.map((link) => (
        <RecordLink key={link.id} link={link} name={nameOf(link)} />
      ))}
      {isOpen && <LinkPicker model={model} choose={choose} onClose={() => setIsOpen(false)} />}
    </span>
  );
}

type LinkPickerProps = {
  readonly model: string;
  readonly choose: (id: number) => void;
  readonly onClose: () => void;
};

function LinkPicker({ model, choose, onClose }: LinkPickerProps) {
  const text = useText();
  const { value, error } = useGet<Page>(`/records/${model}`, { search: text.value, limit: LISTED });
  const rows = (value?.records ?? []).map((record) => ({
    title: visible(titleOf(record) || `${model} ${record.id}`),
    group: String(record.id),
    run: () => choose(record.id),
  }));
  return (
    <Picker
      label={`Find a record of ${model}`}
      empty={error?.message ?? (value ? 'No record has this text.' : 'Loading…')}
      {...{ ...text, rows, onClose }}
    />
  );
}
