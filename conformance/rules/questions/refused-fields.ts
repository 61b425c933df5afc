import type { Field } from '../../../spec/catalogue/field.ts';
import { typeSetting } from '../../../spec/profile/profile.ts';
import { choicesOf } from '../../../spec/types/select.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { statusOf } from '../../assert/assert.ts';
import { describeAnswer, whyDenied } from '../../assert/describe-answer.ts';
import { Failure } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext } from '../../plan/rule.ts';
import { outsideTarget, writableFields } from '../../records/values/values.ts';
import { settingForCreate } from '../support/other-setting.ts';

/** Creates that are sent to find the fields. */
const MOST_TRIES = 30;

/**
 * Leaves out of all that is sent later the optional fields for which a create is refused: of those whose values the
 * source leaves open, where a service may have a rule of its own or nobody knows an id, or else of those with a stated
 * list, so that the refusal of its members fails their own cases alone; not where another form of them is taken. Gives
 * whether there are any.
 */
export async function leaveOutRefused(
  context: CaseContext,
  sent: RecordValues,
  refusal: Answer,
): Promise<boolean> {
  if (!isRefused(refusal)) return false;
  if (await leaveOut(context, sent, refusal, isOpen)) return true;
  if (whyDenied(refusal) !== undefined) return false;
  if ((await context.ask(settingForCreate)) !== undefined) return false;
  return leaveOut(context, sent, refusal, (of, field) => isOpen(of, field, sent) || isListed(field, sent));
}

/** Throws Failure where a field with a stated list had to be left out, with the smallest create that is refused for it. */
export async function expectListedTaken({ model, records, samples }: CaseContext): Promise<void> {
  const isLeftOut = (field: Field) => samples.whyPinned(field) === undefined && samples.whyUnsent(field);
  for (const field of model.fields.filter((one) => one.choices && !one.readonly && isLeftOut(one)))
    for (const extent of ['required', 'all'] as const)
      for (const { value } of field.choices ?? []) {
        const answer = await records.create({ ...samples.values(extent), [field.name]: value });
        if (isRefused(answer))
          throw new Failure(
            `the target rejects ${field.name} ${show(value)}, but accepts the same create without it`,
            'a 2xx status',
            statusOf(answer),
            answer.exchange,
          );
      }
}

async function leaveOut(
  context: CaseContext,
  sent: RecordValues,
  refusal: Answer,
  isAsked: (context: CaseContext, field: Field, sent: RecordValues) => boolean,
): Promise<boolean> {
  const { api, model, records, samples } = context;
  const open = writableFields(model).filter((field) => isAsked(context, field, sent));
  let tries = 0;
  const base = Object.fromEntries(
    Object.entries(sent).filter(([name]) => !open.some((field) => field.name === name)),
  );
  const takes = async (fields: readonly Field[]) => {
    tries++;
    const values = { ...base, ...Object.fromEntries(fields.map(({ name }) => [name, sent[name] ?? null])) };
    return isAccepted(await records.create(samples.fresh(values)));
  };
  if (open.length === 0 || !(await takes([]))) return false;
  const blamed = await blame();
  const why = describeAnswer(refusal, api);
  for (const field of blamed)
    samples.leaveOut(field, `${field.key} is left out: ${why}; ${remedyOf(context, field, sent)}`);
  return blamed.length > 0;

  async function blame(): Promise<readonly Field[]> {
    const named = open.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(refusal.body));
    if (named.length > 0 && (await takes(open.filter((field) => !named.includes(field))))) return named;
    return halve(open);
  }

  /** Those of the fields, which are refused together, that are refused alone. */
  async function halve(fields: readonly Field[]): Promise<readonly Field[]> {
    if (tries >= MOST_TRIES) return [];
    const [one] = fields;
    if (fields.length < 2 || !one) return fields;
    const middle = fields.length >> 1;
    const refused: Field[] = [];
    for (const half of [fields.slice(0, middle), fields.slice(middle)])
      if (!(await takes(half))) refused.push(...(await halve(half)));
    return refused;
  }
}

/**
 * Whether an optional field may be left out: the source lists no values of it, and no setting says how they look; or it
 * links to what the source has no model of, by an id that is made up.
 */
function isOpen(context: CaseContext, field: Field, sent: RecordValues): boolean {
  const { profile, references } = context;
  if (field.required || !Object.hasOwn(sent, field.name)) return false;
  if (references.has(field.key)) return idsOf(context, field, sent) !== '';
  if (field.type === 'select') return choicesOf({ field, profile }) === undefined;
  return field.type !== 'bool' && field.lines === undefined && typeSetting(field) === undefined;
}

/** An optional field whose values the source lists: each of them is to be taken. */
function isListed({ choices, name, required }: Field, sent: RecordValues): boolean {
  return choices !== undefined && !required && Object.hasOwn(sent, name);
}

/** Which ids to supply, where that of a link is made up. */
function idsOf({ records, references }: CaseContext, field: Field, sent: RecordValues): string {
  if (outsideTarget(field, references) === undefined) return '';
  return records.remedyFor('', { [field.name]: sent[field.name] ?? null }).replace(/^; /, '');
}

function remedyOf(context: CaseContext, field: Field, sent: RecordValues): string {
  const { profile, references } = context;
  if (references.has(field.key)) return idsOf(context, field, sent);
  return field.type === 'select' && choicesOf({ field, profile }) === undefined
    ? `list values of ${field.key} that are taken in --profile (values)`
    : `--pin ${field.key}=VALUE sends a value that is taken`;
}
