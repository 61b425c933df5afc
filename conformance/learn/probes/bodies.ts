import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import type { Api } from '../../api/api.ts';
import { findRecord } from '../../api/places.ts';
import { Blocked } from '../../assert/failure.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { linkFields, NOWHERE } from '../../records/values/samples.ts';
import { linkTarget, writableFields } from '../../records/values/values.ts';
import { type Finding, type Findings, found, Unlearned, unknown } from '../finding.ts';
import { easiestModels, type Probe, textFields } from '../probe.ts';
import type { ProbeContext } from '../probe-context.ts';
import { describe } from './quoting.ts';

const NOT_THE_USER = 987_654;

/** What happens to fields that a model does not have, or that may not be written (section 4, rule 2). */
export const extraFieldsProbe: Probe = {
  settings: ['request.unknownFields', 'request.readonlyFields'],
  needs: 'writing',
  async run(context) {
    const [model] = easiestModels(context, ({ fields }) => fields.some(isPlainReadonly));
    const field = model?.fields.find(isPlainReadonly);
    if (!model || !field) throw new Unlearned('no model with a create has a readonly number except its id');
    // Skip unless the same request without the extra field succeeds.
    const { records, samples } = await context.open(model);
    await records.make();
    const createWith = (more: RecordValues) => records.create(samples.values('required'), { more });
    const unknownField = await createWith({ notAField: 'x' });
    const readonly = await createWith({ [field.name]: NOT_THE_USER });
    return {
      'request.unknownFields': judgeExtra(unknownField),
      'request.readonlyFields': judgeExtra(readonly),
    };
  },
};

function isPlainReadonly({
  name,
  readonly,
  type,
}: {
  name: string;
  readonly: boolean;
  type: string;
}): boolean {
  return readonly && type === 'int' && name !== 'id';
}

function judgeExtra(seen: Answer): Finding {
  if (isRefused(seen)) return found('reject', seen);
  return isAccepted(seen) ? found('ignore', seen) : unknown(describe(seen));
}

/** Whether a link may lead nowhere: a service may check some links and not others. */
export const linksProbe: Probe = {
  settings: ['request.references'],
  needs: 'writing',
  async run(context) {
    const seen = new Map<'accept' | 'reject', Answer>();
    let reason = 'no model with a create has a link to another model';
    for (const { field, model } of linksToTry(context)) {
      if (seen.size > 1) break;
      try {
        const answer = await tryLink(context, model, field);
        seen.set(isAccepted(answer) ? 'accept' : 'reject', answer);
      } catch (error) {
        if (!(error instanceof Blocked)) throw error;
        reason = error.message;
      }
    }
    const [[option, answer] = [], ...others] = seen;
    if (option === undefined || answer === undefined) throw new Unlearned(reason);
    return { 'request.references': found(others.length > 0 ? 'some' : option, answer) };
  },
};

/** Returns the response to a create with a link to no record. It is a refusal of the link only if the same is accepted without it. */
async function tryLink(context: ProbeContext, model: Model, field: Field): Promise<Answer> {
  const { records, samples } = await context.open(model);
  const dangling = await records.create(samples.values('required'), { more: { [field.name]: NOWHERE } });
  if (isRefused(dangling)) await records.make();
  else if (!isAccepted(dangling)) throw new Unlearned(describe(dangling));
  return dangling;
}

/** A link of a required field costs more requests, because records must be created for it. */
const MOST_LINKS = { optional: 2, required: 1 };

/** Returns links of required fields and of optional ones, each to another model, in the models that are made most easily. */
function linksToTry(context: ProbeContext): { readonly model: Model; readonly field: Field }[] {
  const links = easiestModels(context).flatMap((model) =>
    linkFields(model, context.references).map((field) => ({ model, field })),
  );
  return (['required', 'optional'] as const).flatMap((kind) => {
    const byTarget = new Map<string | undefined, (typeof links)[number]>();
    for (const link of links.filter(({ field }) => field.required === (kind === 'required'))) {
      const target = linkTarget(link.field, context.references);
      if (!byTarget.has(target)) byTarget.set(target, link);
    }
    return [...byTarget.values()].slice(0, MOST_LINKS[kind]);
  });
}

/** Whether an update with one field keeps the others (section 4, rule 1), and what it answers. */
export const updateProbe: Probe = {
  settings: ['request.update', 'status.updated'],
  needs: 'writing',
  async run(context): Promise<Findings> {
    const [model] = easiestModels(
      context,
      (candidate) => candidate.operations.includes('update') && textFields(candidate).length > 1,
    );
    if (!model) throw new Unlearned('no model with an update has two string fields');
    const [changed, ...others] = textFields(model).sort(
      (one, other) => Number(one.required) - Number(other.required),
    );
    if (!changed) throw new Unlearned('no model with an update has a string field');
    const { api, records, samples } = await context.open(model);
    const text = (field: Field) => String(samples.value(field));
    const texts: Record<string, string> = {};
    for (const field of [changed, ...others]) texts[field.name] = text(field);
    const made = await records.make({ ...samples.values('required'), ...texts });
    const change = { [changed.name]: text(changed) };
    const alone = await api.update(model.name, made.id, change);
    if (isRefused(alone)) return judgeRefusedUpdate(api, made, change, alone);
    if (!isAccepted(alone)) throw new Unlearned(describe(alone));
    const seen = await api.retrieve(model.name, made.id);
    const record = findRecord(model, seen.json)?.value;
    const kept = others.filter(({ name }) => record?.[name] === texts[name]);
    const keeps = kept.length === others.length ? 'partial' : kept.length === 0 ? 'full' : undefined;
    return {
      'status.updated': found(alone.status, alone),
      'request.update': keeps
        ? found(keeps, alone)
        : unknown(`${alone.asked} keeps some omitted fields and clears others`),
    };
  },
};

/** Refused for want of the required fields, if the same with all fields is accepted. */
async function judgeRefusedUpdate(
  api: Api,
  { model, id, sent }: MadeRecord,
  change: Record<string, string>,
  alone: Answer,
): Promise<Findings> {
  const whole = await api.update(model.name, id, { ...sent, ...change });
  if (!isAccepted(whole)) throw new Unlearned(`${describe(alone)}; with all fields: ${describe(whole)}`);
  const asks = writableFields(model).some(({ required, name }) => required && !Object.hasOwn(change, name));
  return {
    'status.updated': found(whole.status, whole),
    'request.update': asks ? found('full', alone) : unknown(describe(alone)),
  };
}
