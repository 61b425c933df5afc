import { RULES } from '../../conformance/rules/rules.ts';
import { loadRequirements } from '../../spec/requirements.ts';
import { terminal } from '../terminal/terminal.ts';

/** Prints each rule with its level, title, and section of the source. */
export function listRules(): void {
  const requirements = loadRequirements();
  for (const { id, level, requirement, title } of RULES)
    terminal().stdout.write(
      `${id.padEnd(32)} ${level.padEnd(8)} ${title} (section ${requirements.get(requirement)?.section})\n`,
    );
}
