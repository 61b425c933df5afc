/** Bytes without escapes, and where in what was given each stood: from where on and up to where. */
export type Unescaped = { readonly bytes: string; readonly from: Uint32Array; readonly to: Uint32Array };

/** A text inside a text is escaped more than once. */
const MOST_ROUNDS = 4;

/** Groups without names, since naming them takes longer than all the rest. */
const ESCAPE = new RegExp(
  [
    String.raw`\\{1,8}(?:u(d[89ab][\da-f]{2})\\{1,8}u(d[c-f][\da-f]{2})|u([\da-f]{4})|x([\da-f]{2})|([^\\]))`,
    String.raw`%([\da-f]{2})`,
    String.raw`&(?:#(\d{1,12});?|#x([\da-f]{1,12});?|([a-z]{2,8});)`,
  ].join('|'),
  'gi',
);

/** The characters of ASCII that have names in HTML, in small letters. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ amp: '&', apos: "'", gt: '>', lt: '<', quot: '"', nbsp: ' ', num: '#', dollar: '$', percnt: '%' },
  ...{ ast: '*', midast: '*', plus: '+', equals: '=', comma: ',', period: '.', colon: ':', semi: ';' },
  ...{ excl: '!', quest: '?', commat: '@', sol: '/', bsol: '\\', lpar: '(', rpar: ')', hat: '^' },
  ...{ lsqb: '[', lbrack: '[', rsqb: ']', rbrack: ']', lcub: '{', lbrace: '{', rcub: '}', rbrace: '}' },
  ...{ lowbar: '_', grave: '`', vert: '|', verbar: '|' },
};

/** The bytes of a text, each a character. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The text of such bytes. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** Whether there is anything to unescape. */
export function mayEscape(text: string): boolean {
  return /[\\%&+]/.test(text);
}

/** Bytes without what JSON, URLs and HTML escape, and with a space for `+`, which stands for one in queries. */
export function unescapeBytes(bytes: string): string {
  let plain = bytes;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = plain;
    plain = before.replace(ESCAPE, meaningOf);
    if (plain === before) break;
  }
  return plain.replaceAll('+', ' ');
}

/** The same, slower, with the places in what was given. */
export function unescapeTraced(bytes: string): Unescaped {
  const from = Uint32Array.from({ length: bytes.length }, (_, index) => index);
  const to = from.map((index) => index + 1);
  let plain = bytes;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let [read, write] = [0, 0];
    const copyUntil = (end: number) => {
      from.copyWithin(write, read, end);
      to.copyWithin(write, read, end);
      write += end - read;
      read = end;
    };
    const before = plain;
    // No escape is shorter than its meaning, so that nothing is written over before it is read.
    plain = before.replace(ESCAPE, (token, ...groups) => {
      copyUntil(groups.at(-2));
      const place = [from[read] ?? 0, to[read + token.length - 1] ?? 0] as const;
      const meaning = meaningOf(token, ...groups);
      from.fill(place[0], write, write + meaning.length);
      to.fill(place[1], write, write + meaning.length);
      write += meaning.length;
      read += token.length;
      return meaning;
    });
    copyUntil(before.length);
  }
  return { bytes: plain.replaceAll('+', ' '), from, to };
}

function meaningOf(token: string, ...groups: readonly (string | undefined)[]): string {
  const [high, low, unit, byte, self, percent, decimal, hex, name] = groups;
  if (self !== undefined) return self;
  const single = percent ?? byte;
  if (single !== undefined) return String.fromCharCode(Number.parseInt(single, 16));
  if (name !== undefined) return NAMES[name.toLowerCase()] ?? token;
  if (high !== undefined)
    return bytesOf(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low ?? '', 16)));
  const code = decimal === undefined ? Number.parseInt(unit ?? hex ?? '', 16) : Number(decimal);
  return code <= 0x10_ffff ? bytesOf(String.fromCodePoint(code)) : token;
}
