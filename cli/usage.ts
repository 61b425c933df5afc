import type { CommanderError } from 'commander';

/** Rewrites a message of commander in full sentences; `verb` is the command it is about, such as `export types`. */
export function explainUsage({ code, message }: CommanderError, verb: string): string {
  const [problem = '', hint = ''] = message.replace(/^error: /, '').split('\n');
  const [, near] = /\(Did you mean (?:one of )?(.+)\?\)/.exec(hint) ?? [];
  const [, quoted = ''] = /'([^']*)'/.exec(problem) ?? [];
  const help = `Run \`record-model ${verb === '' ? '' : `${verb} `}--help\` for usage.`;
  switch (code) {
    case 'commander.unknownOption':
      return `Unknown option ${nameOf(quoted)}. ${near ? `Did you mean ${near}?` : help}`;
    case 'commander.unknownCommand':
      return `Unknown ${verb === 'export' || verb.startsWith('export ') ? 'format' : 'command'} "${quoted}". ${near ? `Did you mean "${near}"?` : help}`;
    case 'commander.missingArgument':
      return `The argument <${quoted}> is missing. ${help}`;
    case 'commander.optionMissingArgument':
      return `The option ${quoted} needs a value. ${help}`;
    case 'commander.missingMandatoryOptionValue':
      return `The option ${quoted} is required. ${help}`;
    case 'commander.excessArguments': {
      const [, expected = '0'] = /Expected (\d+)/.exec(problem) ?? [];
      return `Too many arguments: this command takes ${expected === '0' ? 'none' : expected}. ${help}`;
    }
    case 'commander.invalidArgument':
      return explainValue(problem);
    default:
      return problem;
  }
}

/** Rewrites the message about a value of an option. Choices are listed by commander, the rest is text of a parser. */
function explainValue(problem: string): string {
  const [, flags = '', value = '', reason = ''] =
    /^option '(.+?)' argument '(.*?)' is invalid\. (.*)$/s.exec(problem) ?? [];
  if (flags === '') return problem;
  const remedy = reason.replace(/^Allowed choices are (.*)\.$/, (_, choices) => `Pass one of: ${choices}.`);
  return `Invalid value ${JSON.stringify(value)} for ${nameOf(flags)}. ${remedy}`;
}

/** Returns the long name of an option without its value, which might be a secret. */
function nameOf(flags: string): string {
  const long = /--[\w-]+/.exec(flags)?.[0];
  return long ?? flags.replace(/=.*$/s, '');
}
