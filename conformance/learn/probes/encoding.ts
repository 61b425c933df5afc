import { isAccepted } from '../../api/answer.ts';
import { findRecord } from '../../api/places.ts';
import { found, Unlearned } from '../finding.ts';
import { easiestModels, type Probe, textFields } from '../probe.ts';
import { describe } from './quoting.ts';

const MOST_MODELS = 4;

/** How bodies are written, and what a create answers (section 4, rule 5): a text that is sent comes back. */
export const encodingProbe: Probe = {
  settings: ['request.encoding', 'status.created'],
  needs: 'writing',
  async run(context) {
    const { refused, survey } = context;
    const models = easiestModels(context, (model) => textFields(model).length > 0);
    let reason = 'no model with a create has a string field';
    for (const model of models.slice(0, MOST_MODELS)) {
      const [field] = textFields(model).sort((one, other) => Number(other.required) - Number(one.required));
      if (!field) continue;
      const { records, samples } = await context.open(model);
      const values = { ...samples.values('required'), [field.name]: samples.value(field) ?? null };
      for (const encoding of ['json', 'form'] as const) {
        const seen = await records.create(values, { settings: { 'request.encoding': encoding } });
        const record = isAccepted(seen) ? findRecord(model, seen.json)?.value : undefined;
        if (record && record[field.name] === values[field.name]) {
          survey.note({ model, record, from: 'create', answer: seen });
          return { 'request.encoding': found(encoding, seen), 'status.created': found(seen.status, seen) };
        }
        reason = record ? `${describe(seen)}, and the record lacks ${field.key}` : describe(seen);
      }
      refused.add(model);
    }
    throw new Unlearned(`no record could be created: ${reason}`);
  },
};
