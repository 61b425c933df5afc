import type { Field } from '../../../spec/catalogue/field.ts';
import { agrees } from '../../assert/agreement.ts';
import { Blocked, Skip } from '../../assert/failure.ts';
import type { CaseContext } from '../../plan/rule.ts';
import { writableFields } from '../../records/values/values.ts';
import { type UpdateStep, updates } from './updates.ts';

/** An update that sends one field and nothing else, of a record with all writable fields. */
type SingleUpdate = Pick<UpdateStep, 'after' | 'answer' | 'before' | 'field'>;

/** One that other cases made, or one of its own. Throws Skip where no field has another value. */
export async function singleUpdate(context: CaseContext): Promise<SingleUpdate> {
  return (await updateSeen(context)) ?? updateAlone(context);
}

/** The first that other cases made, where they send single fields: what an earlier one did would show in any other. */
async function updateSeen(context: CaseContext): Promise<SingleUpdate | undefined> {
  if (context.profile['request.update'] !== 'partial') return undefined;
  try {
    const [first] = await context.ask(updates);
    return first && isPlain(first.field) ? first : undefined;
  } catch (error) {
    if (error instanceof Blocked) return undefined;
    throw error;
  }
}

async function updateAlone(context: CaseContext): Promise<SingleUpdate> {
  const { api, codec, model, records, samples } = context;
  const sent = samples.values('all');
  const next = samples.valuesAfter(sent);
  const { id } = await records.make(sent);
  const before = await records.readValues(id);
  const changed = writableFields(model).filter(
    (candidate) => !agrees(candidate, next[candidate.name] ?? null, before[candidate.name]),
  );
  // The last field, so that the end of a range moves and not its start.
  const field = changed.findLast(isPlain) ?? changed.at(-1);
  if (!field) throw new Skip(`no field of ${model.name} has another valid value`);
  const change = { [field.name]: next[field.name] ?? null };
  const answer = await api.update(model.name, id, codec.encodeNamed(model.name, change));
  return { after: await records.readValues(id), answer, before, field };
}

/** A state may allow no move. */
export function isPlain({ choices, lines }: Field): boolean {
  return choices === undefined && lines === undefined;
}
