import { type Answer, errorFormOf, isAccepted, isRefused } from '../../api/answer.ts';
import { pathOf } from '../../api/api.ts';
import { UNKNOWN_ID } from '../../records/ids.ts';
import { writableFields } from '../../records/values/values.ts';
import { type Finding, found, Unlearned, unknown } from '../finding.ts';
import { easiestModels, type Probe } from '../probe.ts';
import { describe } from './quoting.ts';

/** What a GET of something that is not there answers (section 7). */
export const readingRefusalsProbe: Probe = {
  settings: ['status.unknownRecord', 'status.unknownModel', 'errors.form'],
  needs: 'reading',
  async run({ api, catalogue, survey }) {
    const [model] = [...(await survey.lists()).keys()].filter(({ operations }) =>
      operations.includes('retrieve'),
    );
    if (!model) throw new Unlearned('no list succeeded, so a rejection says nothing');
    const record = await api.retrieve(model.name, UNKNOWN_ID);
    let name = model.name;
    while (catalogue.models.has(name)) name += name.at(-1);
    return {
      'status.unknownRecord': judgeStatus(record, 'a record that is not there'),
      'status.unknownModel': judgeStatus(await api.list(name), 'a model that is not there'),
      'errors.form': judgeForm(record),
    };
  },
};

/** What requests with a fault answer (section 7). */
export const writingRefusalsProbe: Probe = {
  settings: ['status.invalid', 'status.unparsable', 'status.noOperation'],
  needs: 'writing',
  async run(context) {
    const { api, open } = context;
    const models = easiestModels(context, (model) => writableFields(model).some(({ required }) => required));
    const [model] = models;
    if (!model) throw new Unlearned('no model with a create has a required field');
    const plain = {
      method: 'POST',
      path: pathOf(model.name),
      body: 'no body',
      headers: { 'content-type': 'text/plain' },
    };
    const patch = {
      method: 'PATCH',
      path: pathOf(model.name, UNKNOWN_ID),
      body: '{}',
      headers: { 'content-type': 'application/json' },
    };
    // Skip unless the same request without the fault succeeds.
    const { records, samples } = await open(model);
    await records.make();
    const missing = writableFields(model).find(({ required }) => required);
    const rest = samples.values('required', [missing]);
    const sendInvalid = async (request: Parameters<typeof api.send>[0]) => {
      const seen = await api.send(request);
      records.adopt(seen);
      return seen;
    };
    return {
      'status.invalid': judgeStatus(await records.create(rest), `a create without ${missing?.key}`),
      'status.unparsable': judgeStatus(await sendInvalid(plain), "a body that can't be parsed"),
      'status.noOperation': judgeStatus(await sendInvalid(patch), 'an unknown method'),
    };
  },
};

function judgeStatus(seen: Answer, what: string): Finding {
  if (isAccepted(seen)) return unknown(`${what} is accepted: ${describe(seen)}`);
  if (seen.saysNo)
    return unknown(`only the body shows that ${what} is rejected: ${seen.asked} returned ${seen.status}`);
  return isRefused(seen) || seen.status === 501
    ? found(seen.status, seen)
    : unknown(`${what} is neither accepted nor rejected: ${describe(seen)}`);
}

function judgeForm(seen: Answer): Finding {
  if (isAccepted(seen)) return unknown(`a missing record is not an error: ${describe(seen)}`);
  const form = errorFormOf(seen);
  if (form !== undefined) return found(form, seen);
  return unknown(`an error is neither a problem nor an object with error: ${describe(seen)}`);
}
