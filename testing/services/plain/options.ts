import { createRandom } from '../draw.ts';
import { MANNERS, type Manners } from './manners/manners.ts';

/** The choices of a service that the source leaves open. The first choice is the usual one. */
const CHOICES = {
  envelope: [
    'none',
    'data',
    'nested',
    'status',
    'laravel',
    'django',
    'spring',
    'hal',
    'rails',
    'hydra',
    'odata',
  ],
  paging: [
    'offset',
    'none',
    'page',
    'per_page',
    'page[number]',
    '$limit',
    'cursor',
    'cursor number',
    'from zero',
  ],
  total: ['header', 'none', 'body', 'range'],
  size: [100, 20, 2],
  most: [500, 50],
  unset: ['null', 'absent', 'blank'],
  created: [201, 200],
  updated: [200, 202],
  deleted: [200, 204, 202],
  deleteAnswer: ['record', 'none', 'flag', 'message', 'count', 'text'],
  deletes: ['mark', 'remove'],
  deletedReadable: [true, false],
  deletedListed: [false, true],
  invalid: [422, 400, 409],
  unparsable: [400, 415],
  missing: [404, 410],
  noOperation: [405, 404, 501],
  errors: ['problem', 'simple', 'empty', 'fields', 'list', 'html'],
  unknownFields: ['reject', 'ignore'],
  readonlyFields: ['ignore', 'reject'],
  update: ['partial', 'full'],
  auth: ['none', 'bearer'],
  firstId: [1, 1_000_001],
  textLimit: [0, 255],
  language: ['any', 'two letters'],
  money: ['kept', 'two decimals'],
  ends: ['kept', 'trimmed'],
  currency: ['number', 'string', 'cents'],
  percent: ['number', 'string'],
  select: ['value', 'string', 'object'],
  bool: ['bool', 'int'],
  datetime: ['iso', 'space', 'local', 'seconds', 'milliseconds'],
  time: ['seconds', 'minutes'],
  duration: ['iso', 'seconds', 'days', 'text'],
  days: ['array', 'from zero', 'mask', 'names'],
  links: ['ids', 'objects'],
  lines: ['objects', 'ids'],
  ...MANNERS,
  begins: ['with records', 'empty'],
  // At the end, so that the choices that a seed draws for the others stay the same.
  filter: ['contains', 'equality', 'none'],
  body: ['json', 'form'],
} as const;

type Choices = typeof CHOICES;
export type PlainOptions = Manners & {
  readonly [Name in Exclude<keyof Choices, keyof Manners>]: Choices[Name][number];
};

const NAMES = Object.keys(CHOICES) as (keyof PlainOptions)[];
/** How often something else than the usual is chosen: a failure then has few causes, and pairs come up. */
const ODD = 0.3;

export const USUAL: PlainOptions = choose((all) => all[0]);

/** Draws one choice of each option at random; the same seed gives the same choices. */
export function drawOptions(seed: number): PlainOptions {
  // Seeds that follow each other give series that have nothing in common.
  const random = createRandom(Math.imul(seed + 1, 0x9e3779b1));
  return choose(([usual, ...others]) => {
    const [isOdd, place] = [random() < ODD, random()];
    return isOdd ? others[Math.floor(place * others.length)] : usual;
  });
}

/** Returns each unusual choice with the usual choices of all other options. */
export function eachOption(): PlainOptions[] {
  return NAMES.flatMap((name) => CHOICES[name].slice(1).map((choice) => ({ ...USUAL, [name]: choice })));
}

/** `paging=none` and such, over the usual ones; throws for what there is not. */
export function readOptions(words: readonly string[]): PlainOptions {
  const changes = words.map((word) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? [];
    const known = NAMES.find((one) => one === name);
    const choices: readonly unknown[] = known ? CHOICES[known] : [];
    const choice = choices.find((one) => String(one) === value);
    if (choice === undefined)
      throw new Error(`${word} is no option; expected ${(known ? choices : NAMES).join(', ')}`);
    return [name, choice];
  });
  return { ...USUAL, ...Object.fromEntries(changes) };
}

export function describeOptions(options: PlainOptions): string {
  const odd = NAMES.filter((name) => options[name] !== USUAL[name]);
  return odd.map((name) => `${name}=${options[name]}`).join(' ') || 'usual';
}

function choose(draw: (all: readonly unknown[]) => unknown): PlainOptions {
  return Object.fromEntries(NAMES.map((name) => [name, draw(CHOICES[name])])) as PlainOptions;
}
