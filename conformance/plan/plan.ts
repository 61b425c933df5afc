import { withArticle } from '../../spec/article.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { closest, UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { profileAt, whyUnmakeable } from '../../spec/profile/profile.ts';
import { linkedModel } from '../../spec/references.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import { createApi, sendOperation } from '../api/api.ts';
import { type Case, eachField, type Rule } from '../cases/rule.ts';
import { idsIn, UNKNOWN_ID } from '../records/identity.ts';
import type { Journal } from '../records/journal.ts';
import { holdsLines, withLinked } from '../records/values/values.ts';
import type { CaseIds } from '../results/compose-results.ts';
import { LEVELS } from '../results/results.ts';
import { ADVICE, STATED } from '../rules/rules.ts';
import { ASSUMED } from '../settings/settings.ts';
import { Interrupted, isUnanswered, sideBySide } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';

/** Every rule, in the order of the run. The rules that others need come first. */
export const RULES: readonly Rule[] = [
  ...STATED.map((rule) => ({ ...rule, level: 'stated' as const })),
  ...ASSUMED.map((rule) => ({ id: `profile.${rule.setting}`, ...rule, level: 'assumed' as const })),
  ...ADVICE.map((rule) => ({ ...rule, level: 'advice' as const })),
];

/** A case with the rule and model it belongs to. */
export type PlannedCase = {
  /** `required.on-create:warehouse.name`, with `=detail` where a field has several cases. */
  readonly id: string;
  readonly rule: Rule;
  readonly model: Model;
  readonly case: Case;
};

/** Selects cases. An absent member selects all. */
export type Selection = {
  readonly models?: readonly string[] | undefined;
  /** Names of areas, as the catalogue spells them; case does not matter. */
  readonly areas?: readonly string[] | undefined;
  /** IDs of rules, or their first part: `required.on-create`, `required`. */
  readonly rules?: readonly string[] | undefined;
  readonly levels?: readonly string[] | undefined;
  /** Ids of single cases. */
  readonly cases?: readonly string[] | undefined;
};

/**
 * The cases of a run, model by model. Lines and their parents share a lane. The cases of a lane run
 * one after the other, so that no case sees the records of another.
 * Throws UsageError for a word in the selection that names nothing.
 */
export function planRun(plan: Contract, selection: Selection = {}, rules = RULES): PlannedCase[][] {
  checkSelection(plan, selection, rules);
  const planned = planLanes(plan, selection, rules);
  const ids = new Set(planned.flat().map(({ id }) => id));
  for (const id of selection.cases ?? [])
    if (!ids.has(id)) throw new UsageError(unknownCase('--case', id, allIds(plan, selection, rules)));
  if (planned.length === 0)
    throw new UsageError('The selection contains no case. Select models and rules that apply to each other.');
  return planned;
}

/** Does the same for words that were checked. A selected case that the contract does not have is left out. */
export function planLanes(plan: Contract, selection: Selection = {}, rules = RULES): PlannedCase[][] {
  const lanes = new Map<Model, PlannedCase[]>();
  const { cases: wanted } = selection;
  for (const model of plan.catalogue.models.values()) {
    // A model without operations is visible only inside its parent, whose cases check it.
    if (!isWanted(model, selection) || model.operations.length === 0) continue;
    const cases = rules
      .filter((rule) => isWantedRule(rule, selection))
      .filter((rule) => rule.needs.every((operation) => model.operations.includes(operation)))
      .flatMap((rule) =>
        casesOf(rule, model, plan).map((item) => ({
          id: caseId(rule, model, item),
          rule,
          model,
          case: item,
        })),
      )
      .filter(({ id }) => wanted?.includes(id) ?? true);
    const lane = [...plan.catalogue.models.values()].find((parent) => holdsLines(parent, model)) ?? model;
    lanes.set(lane, [...(lanes.get(lane) ?? []), ...cases]);
  }
  return [...lanes.values()]
    .filter((lane) => lane.length > 0)
    .map((lane) => [
      ...lane.filter(({ rule }) => !rule.afterAll),
      ...lane.filter(({ rule }) => rule.afterAll),
    ]);
}

function allIds(plan: Contract, { cases: _, ...selection }: Selection, rules: readonly Rule[]): string[] {
  return planLanes(plan, selection, rules)
    .flat()
    .map(({ id }) => id);
}

function casesOf({ cases, operation }: Rule, model: Model, plan: Contract): readonly Case[] {
  const all = cases?.(model, { ...plan, profile: profileAt(plan.profile, model.name) }) ?? [{}];
  return operation ? all.map((item) => ({ ...item, operation })) : all;
}

/** Returns the error for an unknown case. It names only the nearest of thousands of IDs. */
export function unknownCase(flag: string, id: string, ids: readonly string[]): string {
  const where = flag.startsWith('--') ? ` in ${flag}` : '';
  const near = closest(id, ids);
  const next = near
    ? `Did you mean "${near}"?`
    : `An ID has the form RULE:MODEL or RULE:MODEL.FIELD, such as "${ids[0]}".${LIST_RULES}`;
  return `Unknown case "${id}"${where}. ${next}`;
}

const LIST_RULES = ' To list the rules, run: record-model check --list-rules';

/** Returns the words that a selection accepts. Areas are in lowercase, because case does not matter. */
export function selectable(
  { catalogue }: Pick<Contract, 'catalogue'>,
  rules: readonly Rule[] = RULES,
): Readonly<Record<'models' | 'areas' | 'rules' | 'levels', readonly string[]>> {
  const groups = rules.map(({ id }) => id.split('.')[0] ?? id);
  return {
    models: [...catalogue.models.keys()],
    areas: catalogue.areas.map(({ name }) => lower(name)),
    rules: [...new Set([...groups, ...rules.map(({ id }) => id)])],
    levels: LEVELS,
  };
}

function checkSelection(
  plan: Pick<Contract, 'catalogue'>,
  selection: Selection,
  rules: readonly Rule[],
): void {
  const { areas, levels, models, rules: ids } = selectable(plan, rules);
  const known: [string, string, readonly string[] | undefined, readonly string[]][] = [
    ['--models', 'model', selection.models, models],
    ['--area', 'area', selection.areas?.map(lower), areas],
    ['--rule', 'rule', selection.rules, ids],
    ['--level', 'level', selection.levels, levels],
  ];
  for (const [flag, kind, words, expected] of known)
    for (const word of words ?? [])
      if (!expected.includes(word))
        throw new UsageError(
          `${unexpected(kind, word, expected, `in ${flag}`)}${kind === 'rule' ? LIST_RULES : ''}`,
        );
}

/** Returns the names of the selected models. Throws UsageError for an unknown model or area. */
export function selectedModels(
  plan: Pick<Contract, 'catalogue'>,
  { areas, cases, models }: Selection = {},
): ReadonlySet<string> {
  checkSelection(plan, { areas, models }, []);
  const ofCases = cases?.map((id) => /:([^.=]*)/.exec(id)?.[1]);
  const wanted = [...plan.catalogue.models.values()].filter((model) => isWanted(model, { areas, models }));
  return new Set(wanted.map(({ name }) => name).filter((name) => ofCases?.includes(name) ?? true));
}

function isWanted(model: Model, { areas, models }: Selection): boolean {
  return (models?.includes(model.name) ?? true) && (areas?.map(lower).includes(lower(model.area)) ?? true);
}

/** Of selected cases, only their rules list their cases. */
function isWantedRule({ id, level }: Rule, { cases, levels, rules }: Selection): boolean {
  const named = rules?.some((word) => id === word || id.startsWith(`${word}.`)) ?? true;
  const hasCase = cases?.some((one) => one.startsWith(`${id}:`)) ?? true;
  return named && hasCase && (levels?.includes(level) ?? true);
}

/** `rule:model`, with the field and detail that tell the cases of one rule and model apart. */
function caseId(rule: Rule, model: Model, { detail, field }: Case): string {
  return `${rule.id}:${model.name}${field ? `.${field.name}` : ''}${detail === undefined ? '' : `=${detail}`}`;
}

function lower(text: string): string {
  return text.toLowerCase();
}

/**
 * Returns why the suite can't create records of a model: a required field of it, or of a linked model, has an unknown
 * form, or links to a model that is not built. `more` is another field of these records.
 */
export function whyUnmade(
  model: Model,
  plan: Contract,
  more?: Field,
  above: readonly Model[] = [],
): string | undefined {
  const fields = model.fields.filter((field) => field.required && !field.readonly);
  for (const field of more ? [more, ...fields] : fields) {
    const link = plan.references.get(field.key);
    if (link && 'notBuilt' in link) return `${field.key} links to ${link.outside}, which is not built`;
    if (field === more) continue;
    const why = whyUnmakeable(field, plan);
    if (why !== undefined) return `${field.key} needs ${withArticle(field.type)}: ${why}`;
    const needed = plan.catalogue.models.get(field.lines ?? linkedModel(plan.references, field) ?? '');
    const isNew = needed && needed !== model && !above.includes(needed);
    const below = isNew && whyUnmade(needed, plan, undefined, [...above, model]);
    if (below) return below;
  }
  return undefined;
}

/**
 * The ids a selection may come to. The profile, which may still be learned, decides the details of cases, and to
 * which fields a rule about the profile applies: those stay open.
 */
export function createCaseIds(plan: Contract, selection: Selection = {}): CaseIds {
  checkSelection(plan, selection, RULES);
  const { models } = plan.catalogue;
  const withEveryField = (rule: Rule): Rule =>
    rule.level !== 'assumed'
      ? rule
      : {
          ...rule,
          cases: (model, own) => [{}, ...casesOf(rule, model, own), ...eachField(() => true)(model, own)],
        };
  const placeOf = (id: string) => id.replace(/=.*/s, '');
  let places: ReadonlySet<string> | undefined;
  const isKnown = (id: string) => {
    places ??= new Set(allIds(plan, selection, RULES.map(withEveryField)).map(placeOf));
    return places.has(placeOf(id));
  };
  return {
    explain: (where, id) =>
      isKnown(id) ? undefined : unknownCase(where, id, allIds(plan, selection, RULES)),
    explainModel: (name) => (models.has(name) ? undefined : unexpected('model', name, [...models.keys()])),
  };
}

/** Reads come first: the list of a built model ends its search. A create is the last, because it could store something. */
const ORDER: readonly Operation[] = ['list', 'retrieve', 'update', 'delete', 'create'];

/** A 404 of these can mean that there is no such record, so it does not show whether the operation exists. */
const NEED_A_RECORD: readonly Operation[] = ['retrieve', 'update', 'delete'];

/**
 * Finds the selected models, and the models that they link to, of which each operation returns 404 or 501. Sends each
 * operation of such a model once, with an ID that no record has and an empty record, and one request to any other model.
 * A read-only run sends only the list and the retrieve. Returns the names of these models, and the records that the search
 * created and could not delete, as `model/id`.
 */
export async function findNotBuilt(
  options: Contract & {
    readonly target: Target;
    readonly journal?: Journal | undefined;
    readonly readOnly: boolean;
    readonly concurrency?: number | undefined;
    /** Ends the search early. The models that it did not reach count as built. */
    readonly signal?: AbortSignal | undefined;
  },
  selected: ReadonlySet<string>,
): Promise<{ readonly models: ReadonlySet<string>; readonly leftovers: readonly string[] }> {
  const { catalogue, concurrency, journal, profile, readOnly, signal, target } = options;
  const watchers = journal ? [journal.watch(() => false)] : [];
  const api = createApi({ target, catalogue, profile: () => profile, watchers });
  const models = new Set<string>();
  const leftovers: string[] = [];
  await sideBySide(
    withLinked(options, selected),
    async (model) => {
      if (await isNotBuilt(model)) models.add(model.name);
    },
    concurrency,
  );
  return { models, leftovers };

  async function isNotBuilt(model: Model): Promise<boolean> {
    const asked = readOnly ? ORDER.slice(0, 2) : ORDER;
    let isProven = false;
    for (const operation of asked) {
      if (!model.operations.includes(operation)) continue;
      if (signal?.aborted) return false;
      const answer = await ask(model, operation);
      if (answer?.status !== 404 && answer?.status !== 501) {
        if (operation === 'create' && answer) await remove(model, answer);
        return false;
      }
      isProven ||= answer.status === 501 || !NEED_A_RECORD.includes(operation);
    }
    return isProven;
  }

  /** Returns undefined after the signal, and if there is no complete response, because the cases report that. */
  async function ask({ name }: Model, operation: Operation): Promise<ApiResponse | undefined> {
    try {
      return await sendOperation(api, operation, name, UNKNOWN_ID);
    } catch (error) {
      if (error instanceof Interrupted || isUnanswered(error)) return undefined;
      throw error;
    }
  }

  async function remove(model: Model, created: ApiResponse): Promise<void> {
    for (const id of new Set(idsIn(api, model, created))) {
      const deleted = await api.delete(model.name, id).catch(() => undefined);
      if (!deleted || !isAccepted(deleted)) leftovers.push(`${model.name}/${id}`);
    }
  }
}
