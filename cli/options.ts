import { type Command, InvalidArgumentError, type Option } from 'commander';
import { quote } from '../conformance/results/text.ts';
import { readTime } from '../spec/types/times.ts';

export type ContractOptions = { readonly profile?: string; readonly catalogue?: string };

/** Adds --profile. */
export function profileOption(command: Command): Command {
  return command.option('--profile <file>', 'use the settings in this file; the others keep their defaults');
}

/** Adds --catalogue. */
export function catalogueOption(command: Command): Command {
  return command.option('--catalogue <dir>', 'read the models from this directory, for another API');
}

/** Adds an example for each line of text to the end of a command's help. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length === 1 ? 'Example:' : 'Examples:';
  return command.addHelpText('after', `\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

/** The groups of options that say what one run tests and writes, so that a command for one case lacks them. */
const OF_ONE_RUN = ['Select cases:', 'Results for CI:', 'Options:', undefined];
const OF_EACH_RUN = ['profile', 'catalogue', 'config', 'write'];

/** Returns the command line of a command without what belongs to one run only; each secret is a placeholder. */
export function commandLine(command: Command): string {
  const parts = command.options.flatMap((option) => {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') return [];
    if (OF_ONE_RUN.includes(option.helpGroupHeading) && !OF_EACH_RUN.includes(name)) return [];
    if (option.negate !== (command.getOptionValue(name) === false)) return [];
    if (!option.required) return [option.long ?? ''];
    const isSecret = option.helpGroupHeading === 'Authentication:';
    const value: unknown = isSecret ? /<.*>/.exec(option.flags)?.[0] : command.getOptionValue(name);
    return [value].flat().flatMap((one) => [option.long ?? '', asWord(String(one))]);
  });
  const names = [command.parent?.name() ?? '', command.name()];
  return [...names, ...command.args.map(asWord), ...parts].join(' ');
}

/** Returns text as one word of a shell, with quotes if needed. */
export function asWord(text: string): string {
  return /^[\w.:=@%+,/-]+$/.test(text) ? text : quote(text);
}

/** The JSON Schema of the values that a parser accepts. */
export type ValueForm =
  | {
      readonly type: 'integer';
      readonly minimum: number;
      readonly maximum: number;
      readonly 'x-expected': string;
    }
  | { readonly type: 'string'; readonly pattern: string; readonly 'x-expected': string }
  | { readonly type: 'array' };

const FORMS = new Map<unknown, ValueForm>();

function describedBy<Parser>(form: ValueForm, parse: Parser): Parser {
  FORMS.set(parse, form);
  return parse;
}

/** Returns the form of an option's values; undefined if any text can be one. */
export function formOf({ parseArg }: Option): ValueForm | undefined {
  return FORMS.get(parseArg);
}

type ListParser = (text: string, before?: readonly string[]) => string[];

/** Returns a parser for an option that can be repeated; `read` returns the values of one occurrence. */
export function repeatable(read: (text: string) => readonly string[]): ListParser {
  return describedBy({ type: 'array' }, (text, before = []) => [...before, ...read(text)]);
}

/** Parses words separated by commas. */
export const words = repeatable((text) => text.split(',').map((word) => word.trim()));

/** Parses one value per occurrence. */
export const values = repeatable((text) => [text]);

/** Makes a second value for the same option an error, because commander would silently use the last one. */
export function refuseRepeats(command: Command): void {
  for (const option of command.options) {
    const { long, required } = option;
    if (!required || long === undefined || formOf(option)?.type === 'array') continue;
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      if (++times > 1) command.error(`Option ${long} can be used only once. Remove one of its values.`);
    });
  }
}

/** Returns a parser for one whole number, or two with `..` between them, up to `most`. */
export function range(most: number): (text: string) => { min: number; max: number } {
  return (text) => {
    const [, from = '', to = from] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
    const [min, max] = [Number(from), Number(to)];
    if (from !== '' && min <= max && max <= most) return { min, max };
    throw new InvalidArgumentError(`Pass a whole number up to ${most}, or a range such as 200..800.`);
  };
}

/** Parses a day or a time. */
export function pointInTime(text: string): Date {
  const time = readTime(text);
  if (time) return time;
  throw new InvalidArgumentError('Pass a day or a time from 1970 to 9999, such as 2025-10-22T09:30:00Z.');
}

/** Returns a parser for whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  const expected = `a whole number from ${least} to ${most}`;
  return describedBy({ type: 'integer', minimum: least, maximum: most, 'x-expected': expected }, (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Pass ${expected}.`);
  });
}

const TAG = {
  type: 'string',
  pattern: '^[A-Za-z0-9]{2,12}$',
  'x-expected': '2 to 12 letters and digits',
} as const;

/** Parses a tag of records. */
export const tag = describedBy(TAG, (text: string) => {
  if (new RegExp(TAG.pattern).test(text)) return text;
  throw new InvalidArgumentError(`Pass ${TAG['x-expected']}.`);
});

/** Parses a number of records per model, such as `customer=1000,voucher=5000`, or one number for every model. */
export function recordCounts(text: string): number | Record<string, number> {
  if (COUNT.test(text)) return Number(text);
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  if (pairs.every(([name, count, ...rest]) => name && COUNT.test(count ?? '') && rest.length === 0))
    return Object.fromEntries(pairs.map(([name, count]) => [name, Number(count)]));
  throw new InvalidArgumentError(
    'Pass whole numbers per model, such as customer=1000,voucher=5000, or one number for every model.',
  );
}

const COUNT = /^\d{1,9}$/;
