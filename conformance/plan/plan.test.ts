import { describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createProfile, DEFAULT_PROFILE, type Profile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/checks.ts';
import { TINY_DIALECTS } from '../../testing/dialects.ts';
import type { Rule } from '../cases/rule.ts';
import { LEVELS } from '../results/results.ts';
import { planRun, RULES, type Selection } from './plan.ts';

function plan(selection: Selection = {}, profile: Profile = DEFAULT_PROFILE, rules?: readonly Rule[]) {
  return planRun({ catalogue, profile, references }, selection, rules);
}

const planned = (selection?: Selection) => plan(selection).flat();
const distinct = (values: Iterable<string>) => [...new Set(values)].sort();

describe('the rules', () => {
  test.each(RULES.map((rule) => [rule.id, rule] as const))(
    '%s is a slug, with a title without modal verbs',
    (id, rule) => {
      expect(id).toMatch(/^[a-z]+(\.[a-z]+(-[a-z]+)*|\.[a-zA-Z]+)+$/);
      expect(rule.title).toMatch(/^[A-Z0-9].{15,}[^.]$/);
      expect(rule.title).not.toMatch(
        /\b(must(n't)?|should(n't)?|shall|may|might|ought|could(n't)?|would(n't)?|cannot|can't|won't|will|has to|have to)\b/i,
      );
      expect(LEVELS).toContain(rule.level);
    },
  );

  test('name a setting where they are assumed, and only there', () => {
    const astray = RULES.filter(({ level, setting }) => (level === 'assumed') !== (setting !== undefined));
    expect(astray.map(({ id }) => id)).toEqual([]);
  });
});

describe('the plan', () => {
  test.each(['default', 'legacy', 'plain'] as const)(
    'gives each case an id of its own under the profile %s',
    (dialect) => {
      const ids = plan({}, createProfile(TINY_DIALECTS[dialect], catalogue))
        .flat()
        .map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(5000);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test('is the same every time, and names rule, model and field', () => {
    expect(planned().map(({ id }) => id)).toEqual(planned().map(({ id }) => id));
    for (const { case: item, id, model, rule } of planned())
      expect(id.startsWith(`${rule.id}:${model.name}${item.field ? `.${item.field.name}` : ''}`)).toBe(true);
  });

  test('holds every model, and no rule that needs an operation the model does not have', () => {
    expect(distinct(planned().map(({ model }) => model.name))).toEqual(distinct(catalogue.models.keys()));
    const ofTask = planned({ models: ['subscriptionTask'] });
    expect(ofTask.some(({ rule }) => rule.needs.includes('create'))).toBe(false);
    expect(ofTask.map(({ id }) => id)).toContain('absent.operation:subscriptionTask=create');
  });

  test('puts the models of one lane after each other: lines stand in their parents', () => {
    const lanes = plan().map((lane) => distinct(lane.map(({ model }) => model.name)));
    expect(lanes).toContainEqual(['stockInvoice', 'stockInvoiceLine']);
    expect(lanes).toContainEqual(['stockOrder', 'stockOrderLine']);
    expect(lanes).toHaveLength(catalogue.models.size - 2);
  });
});

describe('a selection', () => {
  test('of models, areas in any case, rules, groups and levels holds what goes together', () => {
    expect(distinct(planned({ models: ['brand', 'locker'] }).map(({ model }) => model.name))).toEqual([
      'brand',
      'locker',
    ]);
    const deposits = planned({ areas: ['dEPOSITS'] });
    expect(distinct(deposits.map(({ model }) => model.name))).toEqual(['deposit']);
    expect(distinct(planned({ rules: ['required.on-create'] }).map(({ rule }) => rule.id))).toEqual([
      'required.on-create',
    ]);
    const groups = distinct(planned({ rules: ['required', 'absent.put'] }).map(({ rule }) => rule.id));
    const ofGroup = RULES.map(({ id }) => id).filter((id) => id.startsWith('required.'));
    expect(groups).toEqual(distinct(['absent.put', ...ofGroup]));
    expect(distinct(planned({ levels: ['stated', 'advice'] }).map(({ rule }) => rule.level))).toEqual([
      'advice',
      'stated',
    ]);
    const all = planned({
      models: ['brand', 'share'],
      areas: ['stock'],
      rules: ['fields'],
      levels: ['stated'],
    });
    expect(distinct(all.map(({ model, rule }) => `${model.name} ${rule.id.split('.')[0]}`))).toEqual([
      'brand fields',
    ]);
  });

  test('of a group takes no rule whose name only begins alike', () => {
    const rules = ['list.shows', 'lists.other'].map(
      (id): Rule => ({
        id,
        title: '',
        requirement: '',
        level: 'stated',
        needs: [],
        judge: async () => {},
      }),
    );
    expect(
      distinct(
        plan({ rules: ['list'] }, DEFAULT_PROFILE, rules)
          .flat()
          .map(({ rule }) => rule.id),
      ),
    ).toEqual(['list.shows']);
  });

  test('of a single case holds that one', () => {
    const id = 'values.refused-on-create:locker.status="no-member"';
    expect(planned({ cases: [id] }).map((item) => item.id)).toEqual([id]);
  });

  test.each<[string, Selection, RegExp]>([
    [
      'a model',
      { models: ['brand', 'warehous'] },
      /^Unknown model "warehous" in --models\. Did you mean "warehouse"\?$/,
    ],
    [
      'a model in another case',
      { models: ['Brand'] },
      /^Unknown model "Brand" in --models\. Did you mean "brand"\?$/,
    ],
    ['an area', { areas: ['Deposit'] }, /^Unknown area "deposit" in --area\. Did you mean "deposits"\?$/],
    [
      'a rule',
      { rules: ['required.on-creat'] },
      /^Unknown rule "required\.on-creat" in --rule\. Did you mean "required\.on-create"\? To list the rules, run: record-model check --list-rules$/,
    ],
    ['a level', { levels: ['advise'] }, /^Unknown level "advise" in --level\. Did you mean "advice"\?$/],
    [
      'a case',
      { cases: ['absent.put:brnd'] },
      /^Unknown case "absent\.put:brnd" in --case\. Did you mean "absent\.put:brand"\?$/,
    ],
    [
      'nothing',
      { models: [''] },
      /^Unknown model "" in --models\. Use one of 53 names, such as "share", "brand", "stock", "locker", or "deposit"\./,
    ],
    [
      'what every object has',
      { models: ['constructor'], rules: ['__proto__'] },
      /^Unknown model "constructor" in --models\. Use one of 53 names, such as "customer", "voucher", "crmContact", "locker", or "lockerCustomer"\./,
    ],
  ])('with a typo in %s is refused, and the word meant is named', (_, selection, message) => {
    expect(() => plan(selection)).toThrow(UsageError);
    expect(() => plan(selection)).toThrow(message);
  });

  test('that holds no case is refused', () => {
    expect(() => plan({ models: ['subscriptionTask'], rules: ['required.on-create'] })).toThrow(
      new UsageError('The selection contains no case. Select models and rules that apply to each other.'),
    );
  });
});
