import { createRandom } from '../draw.ts';
import { FORMS } from '../records/forms.ts';

/**
 * Ways of frameworks and databases that break no statement of the source. They differ in the values that they refuse,
 * change, or fill in, and in their form.
 */
const MANNERS = {
  /** How texts that are empty are taken, as by ConvertEmptyStringsToNull or blank=False. */
  empty: ['no value', 'kept', 'refused'],
  /** Line ends and Unicode. */
  texts: ['kept', 'normalised'],
  emails: ['kept', 'lowered'],
  /** Characters beyond the basic plane, and control characters, in a database of three bytes a character. */
  emoji: ['kept', 'refused'],
  /** A length for each column, as `varchar(20)`. */
  columns: ['free', 'short'],
  numbers: ['any', 'not negative', '32 bits'],
  /** Whether an amount or a percentage with more than two decimals is refused. */
  decimals: ['any', 'two'],
  /** null for an optional field; with `ignored`, an update keeps its value. */
  nulls: ['taken', 'refused', 'ignored'],
  /** Numbers as texts, as a form has them. */
  coerces: ['no', 'yes'],
  /** Optional fields that are not sent get a value. */
  defaults: ['none', 'filled'],
  /** Whether links must lead to records; with `inside`, also optional links to models outside the source. */
  linksLead: ['anywhere', 'to records', 'to records, and inside'],
  /** Names that are there once, those of deleted records included. */
  unique: ['nothing', 'names', 'names in any case', 'pairs of links'],
  /** The effect of a delete on records that refer to the record. */
  referred: ['stays', 'restrict', 'cascade', 'unlink'],
  /** A delete of a deleted record, or of an ID that never existed. */
  again: ['missing', 'fine', 'always fine'],
  /** How a list without a record is written, as Go writes a nil slice, or leaves out what is empty. */
  noRecords: ['empty', 'null', 'left out'],
  /** An update that changes nothing. */
  noChange: ['fine', 'refused'],
  /** Whether a write returns the stored record or the sent values. */
  echo: ['stored', 'sent'],
  ids: ['counted', 'used again', 'by seven', 'shared', 'large'],
  order: ['id', 'newest', 'changed'],
  sort: ['none', 'field'],
  /** A path with an id that is no number. */
  oddId: ['missing', 'invalid'],
  tooMany: ['capped', 'refused'],
  /** How drivers and serializers show an accepted number, ID, or value. A day at midnight is also accepted. */
  shows: ['as taken', 'decimals as texts', 'links as objects', 'days at midnight'],
  stamps: ['milliseconds', 'seconds', 'microseconds', 'offset'],
  users: ['zero', 'none', 'seven'],
  extras: ['none', 'links'],
  /** The order of linked records and days says nothing. */
  sets: ['kept', 'sorted'],
  /** Totals of lines are worked out by the service. */
  totals: ['taken', 'worked out'],
  /** The lines of an update: new ones, or the ones that were there changed. */
  lineIds: ['new', 'kept'],
  /** The parent of a line that a client creates by itself. */
  loneLines: ['stay alone', 'share a draft', 'join the newest', 'get a parent'],
  media: ['json', 'charset', 'vnd.api', 'hal'],
  /** Whether a refusal has an error status, or an error in the body of a success. */
  refusals: ['in the status', 'in the body'],
  writing: ['compact', 'pretty', 'escaped'],
  connection: ['kept', 'closed'],
} as const;

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
  ...FORMS,
  ...MANNERS,
  begins: ['with records', 'empty'],
  // At the end, so that the choices that a seed draws for the others stay the same.
  filter: ['contains', 'equality', 'none'],
  body: ['json', 'form'],
} as const;

export type PlainOptions = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };

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
