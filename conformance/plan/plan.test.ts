import { expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createProfile, DEFAULT_PROFILE, type Profile } from '../../spec/profile/profile.ts';
import { catalogue, contract, references } from '../../testing/checks.ts';
import { TINY_DIALECTS } from '../../testing/dialects.ts';
import { useService } from '../../testing/mock-service.ts';
import { createCaseSetup, type Rule } from '../cases/rule.ts';
import { createTarget } from '../target/target.ts';
import { planRun, RULES, type Selection } from './plan.ts';
import { runCase } from './run-case.ts';

function plan(selection: Selection = {}, profile: Profile = DEFAULT_PROFILE, rules?: readonly Rule[]) {
  return planRun({ catalogue, profile, references }, selection, rules);
}

const planned = (selection?: Selection) => plan(selection).flat();
const distinct = (values: Iterable<string>) => [...new Set(values)].sort();

test('rule IDs are slugs, titles have no modal verbs, and only assumed rules have a setting', () => {
  const modal =
    /\b(must(n't)?|should(n't)?|shall|may|might|ought|could(n't)?|would(n't)?|cannot|can't|won't|will|has to|have to)\b/i;
  const astray = RULES.filter(
    ({ id, level, setting, title }) =>
      !/^[a-z]+(\.[a-z]+(-[a-z]+)*|\.[a-zA-Z]+)+$/.test(id) ||
      !/^[A-Z0-9].{15,}[^.]$/.test(title) ||
      modal.test(title) ||
      (level === 'assumed') !== (setting !== undefined),
  );
  expect(astray.map(({ id }) => id)).toEqual([]);
});

test.each(['default', 'plain'] as const)('each case has a unique ID under the profile %s', (dialect) => {
  const ids = plan({}, createProfile(TINY_DIALECTS[dialect], catalogue))
    .flat()
    .map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(5000);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the plan is deterministic, and each ID starts with rule, model, and field', () => {
  expect(planned().map(({ id }) => id)).toEqual(planned().map(({ id }) => id));
  for (const { case: item, id, model, rule } of planned())
    expect(id.startsWith(`${rule.id}:${model.name}${item.field ? `.${item.field.name}` : ''}`)).toBe(true);
});

test('the plan covers each model, and omits rules that need an operation that the model lacks', () => {
  expect(distinct(planned().map(({ model }) => model.name))).toEqual(distinct(catalogue.models.keys()));
  const ofTask = planned({ models: ['subscriptionTask'] });
  expect(ofTask.some(({ rule }) => rule.needs.includes('create'))).toBe(false);
  expect(ofTask.map(({ id }) => id)).toContain('absent.operation:subscriptionTask=create');
});

const ofRequired = RULES.map(({ id }) => id).filter((id) => id.startsWith('required.'));

test.each<[Selection, 'model' | 'rule' | 'level', readonly string[]]>([
  [{ models: ['brand', 'locker'] }, 'model', ['brand', 'locker']],
  [{ areas: ['dEPOSITS'] }, 'model', ['deposit']],
  [{ rules: ['required', 'absent.put'] }, 'rule', ['absent.put', ...ofRequired]],
  [{ levels: ['stated', 'advice'] }, 'level', ['advice', 'stated']],
  [{ models: ['brand', 'share'], areas: ['stock'], levels: ['stated'] }, 'model', ['brand']],
])('the selection %j contains the cases that match all its parts', (selection, part, names) => {
  const parts = planned(selection).map(({ model, rule }) => ({
    model: model.name,
    rule: rule.id,
    level: rule.level,
  }));
  expect(distinct(parts.map((one) => one[part]))).toEqual(names.toSorted());
});

test('a selection of a rule group excludes rules of another group with the same prefix', () => {
  const [one] = RULES as readonly [Rule];
  const rules = ['list.shows', 'lists.other'].map((id): Rule => ({ ...one, id }));
  const cases = plan({ rules: ['list'] }, DEFAULT_PROFILE, rules).flat();
  expect(distinct(cases.map(({ rule }) => rule.id))).toEqual(['list.shows']);
});

test('a selection of a single case contains only that case', () => {
  const id = 'values.refused-on-create:locker.status="no-member"';
  expect(planned({ cases: [id] }).map((item) => item.id)).toEqual([id]);
});

test.each<[Selection, RegExp]>([
  [{ models: ['brand', 'warehous'] }, /^Unknown model "warehous" in --models\. Did you mean "warehouse"\?$/],
  [{ rules: ['required.on-creat'] }, /^Unknown rule "required\.on-creat" in --rule\. Did you mean/],
  [{ models: ['constructor'], rules: ['__proto__'] }, /^Unknown model "constructor" in --models\. Use one/],
])('a selection with the typo %j is rejected with a suggestion', (selection, message) => {
  expect(() => plan(selection)).toThrow(UsageError);
  expect(() => plan(selection)).toThrow(message);
});

test('a selection without cases is rejected', () => {
  expect(() => plan({ models: ['subscriptionTask'], rules: ['required.on-create'] })).toThrow(
    new UsageError('The selection contains no case. Select models and rules that apply to each other.'),
  );
});

const { start } = useService();

test.each<[string, Rule['judge'], object]>([
  ['without a request is skipped', async () => {}, { outcome: 'skip', unjudged: true }],
  ['with a request passes', async ({ api }) => void (await api.list('brand')), { outcome: 'pass' }],
])('a case that throws no error and ends %s', async (_, run, expected) => {
  const { url } = await start();
  const rule = { id: 'a.rule', title: '', requirement: '', level: 'stated', needs: [], judge: run } as const;
  const [planned] = planRun(contract, { models: ['brand'] }, [rule]).flat();
  const target = createTarget({ baseUrl: url });
  const setup = createCaseSetup({ ...contract, target, readOnly: true, seed: 1 });
  expect(planned && (await runCase(planned, setup))).toMatchObject(expected);
  await target.close();
});
