import { SCROLLABLE, visible } from './text.ts';

/** A message about the value at a JSON pointer (RFC 6901). */
export type Mark = { readonly pointer: string; readonly message: string };

/** A JSON value with messages next to the members that they are about. */
export function Json({ value, marks = [] }: { value: unknown; marks?: readonly Mark[] | undefined }) {
  const lines = linesOf(value);
  const left = new Map(marks.map((mark) => [mark, nearest(mark.pointer, lines)]));
  return (
    <pre class="json" {...SCROLLABLE}>
      {lines.map(({ pointer, text, isEnd }, index) => (
        <span key={index}>
          {visible(text)}
          {'\n'}
          {isEnd ||
            marks
              .filter((mark) => left.get(mark) === pointer)
              .map((mark, at) => (
                <mark key={at} class="fail">
                  {/* A member that is missing has no line, so its name is in the message. */}
                  {visible([mark.pointer.slice(pointer.length + 1), mark.message].filter(Boolean).join(': '))}
                </mark>
              ))}
        </span>
      ))}
    </pre>
  );
}

type Line = { readonly pointer: string; readonly text: string; readonly isEnd?: boolean };

/** The lines of indented JSON, each with the pointer of its value. */
function linesOf(value: unknown, pointer = '', name = '', depth = 0, comma = ''): Line[] {
  const start = '  '.repeat(depth) + name;
  if (typeof value !== 'object' || value === null)
    return [{ pointer, text: `${start}${JSON.stringify(value) ?? 'null'}${comma}` }];
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return [{ pointer, text: `${start}${open}${close}${comma}` }];
  return [
    { pointer, text: start + open },
    ...members.flatMap(([key, one], index) =>
      linesOf(
        one,
        `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        isList ? '' : `${JSON.stringify(key)}: `,
        depth + 1,
        index + 1 < members.length ? ',' : '',
      ),
    ),
    { pointer, text: '  '.repeat(depth) + close + comma, isEnd: true },
  ];
}

/** Returns the pointer itself if a line shows it, or else the nearest one above it: a missing member has no line. */
function nearest(pointer: string, lines: readonly Line[]): string {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/')))
    if (lines.some((line) => line.pointer === at)) return at;
  return '';
}
