import { expect, test } from 'vitest';
import { createWireCheck } from '../../conformance/assert/agreement.ts';
import { STATED } from '../../conformance/rules/rules.ts';
import { parseDefect } from '../../mock/defects/defects.ts';
import { loadContract } from '../../spec/contract.ts';
import { loadRequirements } from '../../spec/requirements.ts';
import { demo } from '../../testing/demo.ts';
import { createForks, resultsOn } from './run-on.ts';

const contract = loadContract();
const check = createWireCheck(contract);
const requirements = loadRequirements();
const forks = createForks(contract, demo);

/** For each statement that a stated rule tests: violations of each of its parts, each at one model or one field. */
const VIOLATIONS: Readonly<Record<string, readonly string[]>> = {
  'record-models': ['operations.missing:locker=list', 'operations.missing:brand=retrieve'],
  'common-fields': [
    ...['id', 'created', 'updateUser', 'deleted'].map((name) => `fields.missing:brand.${name}=retrieve`),
    'fields.missing:multipackItem.createUser=list',
    'readonly.stored-on-update:warehouse.updateUser',
  ],
  'no-deleted-field': ['fields.excluded-shown:subscriptionTask'],
  'fields-only': ['fields.unknown-shown:subscriptionTask'],
  'field-type': ['fields.wrong-type:customer.disabled=list', 'input.takes-wrong-type-on-create:brand.name'],
  'field-required': [
    'required.not-asked-for:warehouse.name',
    'required.null-on-create:warehouse.name',
    'required.taken-away:warehouse.name',
    'fields.null:warehouse.name=retrieve',
  ],
  'field-optional': [
    'required.asked-for-optional:warehouse.comments',
    'create.drops-field:warehouse.comments',
    'update.ignores-field:warehouse.comments',
  ],
  'field-readonly': ['readonly.stored-on-create:brand.created', 'update.touches-origin:brand.createUser'],
  'value-list': [
    'values.member-refused-on-create:stockOrder.status=1',
    'values.outside-accepted-on-update:stockOrder.status',
  ],
  'operation-retrieve': ['retrieve.answers-neighbor:brand'],
  'operation-list': [
    'list.omits-newest:brand',
    'list.shows-old-value:brand.name',
    'operations.failing:brand=list',
  ],
  'operation-create': [
    'operations.failing:brand=create',
    'create.drops-field:brand.name',
    'create.reuses-id:brand',
  ],
  'operation-update': [
    'operations.failing:brand=update',
    'update.ignores-field:brand.name',
    'update.loses-field:warehouse.comments',
    'update.changes-neighbor:warehouse.name',
  ],
  'operation-delete': [
    'delete.does-nothing:brand',
    'absent.delete-all-works:brand',
    'delete.takes-neighbor:brand',
  ],
  'id-in-path': [
    'absent.unknown-id-answered:brand=retrieve',
    'absent.unknown-id-created:brand',
    'absent.unknown-id-answered:brand=delete',
  ],
  'no-put-or-patch': ['absent.put-works:brand', 'absent.patch-stores:brand'],
  'read-only-model': ['absent.operation-works:subscriptionTask=delete'],
  'model-names': ['absent.misspelled-answered:ommitedSale', 'operations.misspelled-model:ommitedSale'],
};

const ruleIds = new Set(STATED.map(({ id }) => id));

test('each statement of the source with a stated rule has a violation in this table', () => {
  const stated = [...requirements.values()].filter(({ rules }) => rules.some((rule) => ruleIds.has(rule)));
  expect(Object.keys(VIOLATIONS).toSorted()).toEqual(stated.map(({ id }) => id).toSorted());
});

const rows = Object.entries(VIOLATIONS).flatMap(([id, defects]) =>
  defects.map((defect) => [id, defect] as const),
);

test.each(rows)('%s is broken by a service with %s', async (id, text) => {
  const { defect, places } = parseDefect(text, contract);
  const models = places.map(({ model }) => model.name);
  const selection = { models, rules: requirements.get(id)?.rules ?? [] };
  const service = await (await forks)(defect, places[0]);
  const results = await resultsOn(service, { ...contract, check, requirements, selection });
  const broken = results.requirements.filter(({ state }) => state === 'broken').map((row) => row.id);
  expect(broken).toContain(id);
});
