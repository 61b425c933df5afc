import { RULES } from '../../conformance/rules/rules.ts';
import type { Requirement } from '../../spec/requirements.ts';
import { terminal } from '../terminal/terminal.ts';

/** Prints each rule with its level, its title, and the section of the source if the requirements cite one. */
export function listRules(requirements: ReadonlyMap<string, Requirement>): void {
  for (const { id, level, requirement, title } of RULES) {
    const section = requirements.get(requirement)?.section;
    const source = section === undefined ? '' : ` (section ${section})`;
    terminal().stdout.write(`${id.padEnd(32)} ${level.padEnd(8)} ${title}${source}\n`);
  }
}
