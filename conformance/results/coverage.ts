import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { CaseResult, CoverageItem, CoverageResult } from './results.ts';

/**
 * Returns which operations, fields, and value list members of the selected models a passed case exercised, and why the
 * others were not.
 */
export function measureCoverage(
  catalogue: Catalogue,
  cases: readonly CaseResult[],
  selected: ReadonlySet<string> = new Set(catalogue.models.keys()),
): CoverageResult {
  const models = [...catalogue.models.values()].filter(
    ({ name, operations }) => selected.has(name) && operations.length > 0,
  );
  const byName = new Map<string, CaseResult[]>();
  for (const result of cases) {
    const { model, field, operation, rule } = result;
    if (operation !== undefined && rule === `operations.${operation}`) note(`${operation} ${model}`, result);
    if (field !== undefined) note(`${model}.${field}`, result);
    if (field !== undefined && rule === 'values.accepted')
      note(result.id.slice(result.id.indexOf(':') + 1), result);
  }
  return {
    operations: models.flatMap(({ name, operations }) =>
      operations.map((operation) => item(`${operation} ${name}`)),
    ),
    fields: models.flatMap(({ fields }) => fields.map(({ key }) => item(key))),
    values: models.flatMap(({ fields }) =>
      fields.flatMap(({ key, choices, readonly }) =>
        (choices ?? []).map(({ value }) =>
          // No client can send a readonly field: its values are seen when the service shows them.
          item(`${key}=${value}`, readonly ? `${key} is readonly` : undefined),
        ),
      ),
    ),
  };

  function note(name: string, result: CaseResult): void {
    const seen = byName.get(name);
    if (seen) seen.push(result);
    else byName.set(name, [result]);
  }

  function item(name: string, reason?: string): CoverageItem {
    const seen = byName.get(name) ?? [];
    if (seen.some(({ outcome }) => outcome === 'pass')) return { name, exercised: true };
    return {
      name,
      exercised: false,
      why: reason ?? seen.find(({ message }) => message)?.message ?? 'no case ran',
    };
  }
}
