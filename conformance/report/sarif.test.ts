import { expect, test } from 'vitest';
import { bareResults, sampleCase, sampleResults } from '../../testing/sample-results.ts';
import { renderSarif } from './sarif.ts';

function render(results = sampleResults()) {
  const log = JSON.parse(renderSarif(results));
  return { log, run: log.runs[0] };
}

test('failed cases are results with the gravity they have', () => {
  const { log, run } = render();
  expect(log.version).toBe('2.1.0');
  const levels = run.results.map((result: { ruleId: string; level: string }) => [
    result.ruleId,
    result.level,
  ]);
  expect(levels).toEqual([
    ['values.refused-on-update', 'error'],
    ['list.shows-record', 'error'],
    ['absent.put', 'warning'],
    ['advice.long-text', 'warning'],
    ['fields.type', 'note'],
  ]);
});

test('every result points at its rule, which says where it comes from', () => {
  const { run } = render();
  const { rules } = run.tool.driver;
  for (const result of run.results) expect(rules[result.ruleIndex].id).toBe(result.ruleId);
  expect(rules[0].help.text).toContain(
    'Section 3 of the source: A select field takes the values of its list.',
  );
});

test('the fingerprint is the id of the case, and an excuse is a suppression', () => {
  const { run } = render();
  expect(run.results[0].partialFingerprints).toEqual({
    'caseId/v1': 'values.refused-on-update:warehouse.name=9',
  });
  expect(run.results[0]).not.toHaveProperty('suppressions');
  expect(run.results[4].suppressions).toEqual([
    { kind: 'external', justification: expect.stringContaining('known') },
  ]);
});

test('a location is named as in the document', () => {
  const { operation: _, ...without } = sampleCase();
  const { run } = render(sampleResults({ cases: [sampleCase(), without] }));
  const names = run.results.map(
    (result: { locations: { logicalLocations: object[] }[] }) => result.locations[0]?.logicalLocations[0],
  );
  expect(names).toEqual([
    { name: 'updateWarehouse', fullyQualifiedName: 'updateWarehouse.name', kind: 'function' },
    { name: 'name', fullyQualifiedName: 'Warehouse.name', kind: 'member' },
  ]);
});

test('an error of the suite is told apart from the results', () => {
  const { run } = render();
  expect(run.invocations[0].executionSuccessful).toBe(false);
  expect(run.invocations[0].toolExecutionNotifications[1].message.text).toContain('delete.answer:brand');
});

test('the number of results is bounded, and what is left out is said', () => {
  const cases = Array.from({ length: 5100 }, (_, index) => sampleCase({ id: `x:${index}` }));
  const { run } = render(sampleResults({ cases }));
  expect(run.results).toHaveLength(20);
  expect(run.results[0].occurrenceCount).toBe(5100);
  expect(JSON.stringify(run.invocations)).toContain('5080 more results are omitted');
});

test('a run that ended early does not look whole', () => {
  const { run } = render({ ...bareResults(), planned: 7 });
  expect(run.invocations[0]).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{ level: 'error', message: { text: 'ended early after 1 of 7 cases' } }],
  });
});
