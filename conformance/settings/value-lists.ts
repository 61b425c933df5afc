import type { Field } from '../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import { placesIn } from '../api/places.ts';
import { blocked, isEnded } from '../assert/ending.ts';
import { writableFields } from '../records/values/values.ts';
import { describe, type Findings, found } from './finding.ts';
import type { ProbeContext } from './probe-context.ts';
import { easiestModels, type Probe } from './setting.ts';

type Member = string | number;
/** The members as the refusal names them, none where it does not; and those that records show. */
type Limited = {
  readonly named: readonly Member[];
  readonly shown: readonly Member[];
  readonly seen: Answer;
};
type Values = Limited | { readonly free: Answer } | undefined;

const OUTSIDE = 'no-member';
/** The members of a list that are tried, one record each. */
const MOST_TRIED = 20;

/**
 * Value lists the source does not show (section 2.4): a value outside is refused, and the list is known where the
 * refusal names it. The values that records show may be a part of it, so that they are no list.
 */
export const valueListsProbe: Probe = {
  settings: ['values'],
  needs: 'reading',
  async run(context): Promise<Findings> {
    const lists: Record<string, readonly Member[]> = {};
    let proof: Answer | undefined;
    let free: Answer | undefined;
    let reason = 'no field without a value list could be tested';
    let hidden: string | undefined;
    for (const field of unlistedFields(context)) {
      const key = field.type === 'fkModel' ? 'fkModel' : field.key;
      if (Object.hasOwn(lists, key)) continue;
      try {
        const answer = (await tryCreate(context, field)) ?? (await tryFilter(context, field));
        if (answer && 'free' in answer) free ??= answer.free;
        if (!answer || !('named' in answer)) continue;
        if (answer.named.length === 0) {
          hidden ??= describeHidden(key, answer);
          continue;
        }
        lists[key] = answer.named;
        proof ??= answer.seen;
      } catch (error) {
        if (!isEnded(error, 'blocked')) throw error;
        reason = error.message;
      }
    }
    if (proof) return { values: found(lists, proof) };
    if (hidden !== undefined) throw blocked(hidden);
    if (!free) throw blocked(reason);
    return { values: found({}, free) };
  },
};

function describeHidden(key: string, { seen, shown }: Limited): string {
  const known = shown.length > 0 ? `Records contain ${shown.join(', ')}` : 'No record contains a value';
  return `${describe(seen)}, which does not list the values of ${key}. ${known}`;
}

function unlistedFields({ catalogue }: ProbeContext): Field[] {
  return [...catalogue.models.values()]
    .flatMap(({ fields }) => fields)
    .filter(({ choices, type }) => type === 'fkModel' || (type === 'select' && choices === undefined));
}

/** Creates a record with a value no list has. A refusal counts where the same without the value is accepted. */
async function tryCreate(context: ProbeContext, field: Field): Promise<Values> {
  const { profile, readOnlyBecause } = context;
  const model = easiestModels(context, (candidate) => writableFields(candidate).includes(field))[0];
  if (!model || readOnlyBecause !== undefined) return undefined;
  const { records, samples } = await context.open(model);
  const values = samples.values('required', [field]);
  const outside = WIRE_TYPES[field.type].encode(OUTSIDE, { field, profile });
  const seen = await records.create(values, { more: { [field.name]: outside } });
  if (isAccepted(seen)) return { free: seen };
  const { named, shown } = await membersOf(context, field, seen);
  // A refusal may name what is no value, as `one of es, en, null`.
  const taken = new Set<Member>();
  for (const member of named.slice(0, MOST_TRIED))
    if (isAccepted(await records.create({ ...values, [field.name]: member }))) taken.add(member);
  const members = named.filter((member, at) => at >= MOST_TRIED || taken.has(member));
  const [other] = shown;
  const isTaken =
    taken.size > 0 ||
    isAccepted(await records.create(other === undefined ? values : { ...values, [field.name]: other }));
  if (!isRefused(seen) || !isTaken) throw blocked(describe(seen));
  return { named: members, shown, seen };
}

/** A list that refuses to be filtered by an outside value, and not by one that is there. */
async function tryFilter(context: ProbeContext, field: Field): Promise<Values> {
  const { api, catalogue, isFound, profile } = context;
  const model = [...catalogue.models.values()].find(({ fields }) => fields.includes(field));
  if (!model || !isFound('list.filter') || profile['list.filter'] === 'none') return undefined;
  const seen = await api.list(model.name, { [field.name]: OUTSIDE });
  if (!isRefused(seen)) return undefined;
  const members = await membersOf(context, field, seen);
  const [member] = [...members.named, ...members.shown];
  if (member === undefined) return undefined;
  const control = await api.list(model.name, { [field.name]: String(member) });
  return isAccepted(control) ? { ...members, seen } : undefined;
}

/** The list as the refusal names it, unless records show other values; and the values that records show. */
async function membersOf(
  context: ProbeContext,
  field: Field,
  seen: Answer,
): Promise<Pick<Limited, 'named' | 'shown'>> {
  const { catalogue, profile, survey } = context;
  const values = (await survey.records()).flatMap(({ model, record }) =>
    model.fields
      .filter((other) => other === field || (field.type === 'fkModel' && other.type === 'fkModel'))
      .flatMap(({ name }) => {
        const wire = record[name];
        if (wire === undefined || wire === null) return [];
        const value = WIRE_TYPES[field.type].decode(wire, { field, profile });
        return typeof value === 'string' || typeof value === 'number' ? [value] : [];
      }),
  );
  const isMember = (value: Member) => field.type !== 'fkModel' || catalogue.models.has(String(value));
  const shown = [...new Set(values)].filter(isMember);
  const told = toldBy(seen).filter(isMember);
  return { named: shown.every((value) => told.map(String).includes(String(value))) ? told : [], shown };
}

/** Returns the longest list of words that a refusal names as allowed: `must be one of es, en, but is "x"`. */
function toldBy(seen: Answer): string[] {
  const texts = [
    ...placesIn(seen.json).flatMap(({ value }) =>
      Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : [],
    ),
    ...placesIn(seen.json).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
  ];
  const lists = texts.map((text) => {
    const list =
      /(?:one of|allowed(?: values)?(?: are)?|(?:expected|must be)(?: one of)?)\s*:?\s*\[?\s*([^\].;}]{1,2000})/i.exec(
        text.replaceAll('\\"', "'"),
      )?.[1] ?? '';
    const words = list
      .replace(/,?\s+(?:but|got|found|received)\s.*/is, '')
      .split(/\s*,\s*|\s+or\s+|\s*\|\s*/)
      .map((word) => word.replace(/^(or\s+)?["'`]?|["'`]?\s*$/g, '').trim())
      .filter((word) => word !== '');
    return words.every((word) => /^[\w-]{1,40}$/.test(word)) ? words : [];
  });
  return lists.reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}
