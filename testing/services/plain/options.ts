/** What a service may choose where the source leaves it open; the first choice of each is the usual one. */
const CHOICES = {
  envelope: ['none', 'data', 'nested'],
  paging: ['offset', 'none', 'page', 'per_page', 'page[number]', '$limit', 'cursor'],
  total: ['header', 'none', 'body'],
  size: [100, 20, 2],
  unset: ['null', 'absent'],
  created: [201, 200],
  updated: [200, 202],
  deleted: [200, 204, 202],
  deleteAnswer: ['record', 'none', 'flag', 'message'],
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
  datetime: ['iso', 'space'],
  time: ['seconds', 'minutes'],
  duration: ['iso', 'seconds', 'days', 'text'],
  days: ['array', 'mask', 'names'],
  links: ['ids', 'objects'],
  lines: ['objects', 'ids'],
} as const;

export type PlainOptions = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };

const NAMES = Object.keys(CHOICES) as (keyof PlainOptions)[];

export const USUAL: PlainOptions = choose(() => 0);

/** One choice of each, by lot; the same number gives the same ones. */
export function drawOptions(seed: number): PlainOptions {
  let state = seed >>> 0;
  return choose((count) => {
    // A linear congruential generator (Numerical Recipes); its upper bits are good enough for this.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * count);
  });
}

/** `paging=none` and such, over the usual ones; throws for what there is not. */
export function readOptions(words: readonly string[]): PlainOptions {
  const changes = words.map((word) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? [];
    const known = NAMES.find((one) => one === name);
    const choice = known && CHOICES[known].find((one) => String(one) === value);
    if (choice === undefined)
      throw new Error(
        `${word} is no option; expected ${known ? CHOICES[known].join(', ') : NAMES.join(', ')}`,
      );
    return [name, choice];
  });
  return { ...USUAL, ...Object.fromEntries(changes) };
}

export function describeOptions(options: PlainOptions): string {
  const odd = NAMES.filter((name) => options[name] !== USUAL[name]);
  return odd.map((name) => `${name}=${options[name]}`).join(' ') || 'usual';
}

function choose(draw: (count: number) => number): PlainOptions {
  return Object.fromEntries(
    NAMES.map((name) => [name, CHOICES[name][draw(CHOICES[name].length)]]),
  ) as PlainOptions;
}
