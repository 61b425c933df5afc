import { kitFile } from '../../spec/files/kit-file.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import { type CaseResult, countsAgainst } from './results.ts';

/**
 * The stated rules that decide, by version label of the catalogue. Once a label is out, its set stays: a rule
 * that comes later is run and reported, and does not turn an earlier pass red. A label without a set is decided
 * by all rules.
 */
export function loadFrozenRules(
  path: string = kitFile('spec/frozen-rules.yaml'),
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    readYamlFile(path)
      .entries()
      .map(([label, rules]) => [String(label), new Set(rules.items().map((item) => item.text()))]),
  );
}

/** Excuses the failures of stated rules that are younger than the label's set. */
export function excuseLaterRules(
  cases: readonly CaseResult[],
  frozen: ReadonlySet<string> | undefined,
  label: string,
): CaseResult[] {
  return cases.map((result) => {
    if (!frozen || result.level !== 'stated' || frozen.has(result.rule) || !countsAgainst(result))
      return result;
    return { ...result, excused: `${result.rule} was added after the rules of ${label} were frozen` };
  });
}
