import type { Answer } from '../../../api/answer.ts';
import { findRecord } from '../../../api/places.ts';
import type { SeenRecord } from '../../../records/ids.ts';
import { type Findings, found, Unlearned, unknown } from '../../finding.ts';
import { easiestModels, type Probe } from '../../probe.ts';

/** How a field without a value is shown (section 4, rule 5), in records that are there. */
export const seenUnsetProbe: Probe = {
  settings: ['response.unset'],
  needs: 'reading',
  run: async ({ survey }) => {
    const records = await survey.records();
    const single = judgeUnset(records.filter(({ from }) => from !== 'list'));
    // A list may show less of a record than a retrieve, so that it is only looked at where nothing else tells.
    return single['response.unset']?.kind === 'found' ? single : judgeUnset(records);
  },
};

/** The same in a record that is made without its optional fields. */
export const madeUnsetProbe: Probe = {
  settings: ['response.unset'],
  needs: 'writing',
  async run(context) {
    const { api } = context;
    const [model] = easiestModels(context, ({ fields }) =>
      fields.some(({ readonly, required }) => !readonly && !required),
    );
    if (!model) throw new Unlearned('no model with a create has an optional field');
    const { records } = await context.open(model);
    const { id } = await records.make();
    const seen = await api.retrieve(model.name, id);
    const record = findRecord(model, seen.json)?.value;
    return judgeUnset(record ? [{ model, record, from: 'retrieve', answer: seen }] : []);
  },
};

type Unset = { readonly option: 'null' | 'absent'; readonly key: string; readonly seen: Answer };

function judgeUnset(records: readonly SeenRecord[]): Findings {
  const shown = records.flatMap(unsetIn);
  const [first] = shown;
  const other = shown.find(({ option }) => option !== first?.option);
  if (!first) return { 'response.unset': unknown('no record has a field without a value') };
  if (!other) return { 'response.unset': found(first.option, first.seen) };
  const reason = `${first.key} is ${first.option} without a value, but ${other.key} is ${other.option}`;
  return { 'response.unset': unknown(reason) };
}

function unsetIn({ model, record, answer }: SeenRecord): Unset[] {
  return model.fields
    .filter((field) => !field.required && !field.readonly && field.lines === undefined)
    .flatMap(({ key, name }): Unset[] => {
      if (!Object.hasOwn(record, name)) return [{ option: 'absent', key, seen: answer }];
      return record[name] === null ? [{ option: 'null', key, seen: answer }] : [];
    });
}
