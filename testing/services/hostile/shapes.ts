import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** Gives one hostile answer. */
type Shape = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const MEBI = 1024 * 1024;
const lazily = <T>(make: () => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};

const manyRows = lazily(() =>
  JSON.stringify(Array.from({ length: 200_000 }, (_, index) => ({ id: index + 1, name: `row ${index}` }))),
);
const manyIds = lazily(() => JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index + 1)));
const deepLists = lazily(() => '['.repeat(7_000_000) + ']'.repeat(7_000_000));
const deepObjects = lazily(() => `${'{"a":'.repeat(2_000_000)}1${'}'.repeat(2_000_000)}`);
const deepId = lazily(() => `{"id":${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}}`);
const manyKeys = lazily(() =>
  JSON.stringify(Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`key${index}`, index]))),
);
const longText = lazily(() => JSON.stringify({ id: 1, name: 'x'.repeat(15 * MEBI) }));
const longNumber = lazily(() => `{"id":${'9'.repeat(5 * MEBI)}}`);
const bomb = lazily(() => gzipSync(Buffer.alloc(64 * MEBI)));

const json =
  (body: () => string): Shape =>
  (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(body());
  };

/** Bytes that need be no HTTP; then the connection ends, or stays open and silent. */
const raw =
  (text: string | (() => string), stays = false): Shape =>
  ({ socket }) => {
    const bytes = Buffer.from(typeof text === 'string' ? text : text(), 'latin1');
    if (stays) socket.write(bytes);
    else socket.end(bytes);
    socket.on('error', () => {});
  };

/** Sends a piece at an interval until the client disconnects. */
const endless =
  (head: string, piece: string, every: number): Shape =>
  ({ socket }) => {
    socket.on('error', () => {});
    socket.write(head);
    const timer = setInterval(() => {
      if (socket.destroyed) clearInterval(timer);
      else if (socket.writableLength < MEBI) socket.write(piece);
    }, every);
  };

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const wait = (status: number, seconds: string): Shape =>
  raw(`HTTP/1.1 ${status} Wait\r\nretry-after: ${seconds}\r\ncontent-length: 0\r\n\r\n`);

/** Answers that cost time, memory or sense, or are no HTTP at all. */
export const SHAPES = {
  'many-rows': json(manyRows),
  'many-ids': json(manyIds),
  'many-keys': json(manyKeys),
  'deep-lists': json(deepLists),
  'deep-objects': json(deepObjects),
  'deep-id': json(deepId),
  'long-text': json(longText),
  'long-number': json(longNumber),
  proto: json(
    () =>
      '{"__proto__":{"id":1,"data":[{"id":1}]},"constructor":{"prototype":{"id":1}},"data":{"__proto__":[{"id":1}],"id":1}}',
  ),
  'proto-rows': json(
    () =>
      '[{"__proto__":{"deleted":true},"id":"__proto__","name":"constructor"},{"id":"constructor","toString":1,"hasOwnProperty":null,"valueOf":{}}]',
  ),
  'odd-texts': json(
    () => '{"id":1,"name":"\\u0000\\ud800\\u001b[2J\\u202e","created":"9999999-99-99","deleted":"yes"}',
  ),
  'odd-numbers': json(() => '[{"id":1e999,"name":-0},{"id":-1},{"id":1.5},{"id":9007199254740993}]'),
  'cut-json': json(() => '[{"id":1,"name":"x'),
  'no-utf-8': (_, outgoing) => outgoing.end(Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d])),
  'endless-body': endless(CHUNKED, chunk(' '.repeat(65_536)), 1),
  'slow-drip': endless(CHUNKED, chunk(' '), 50),
  'slow-headers': endless(OK, 'x-more: 1\r\n', 50),
  'endless-early-hints': endless('', 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n', 10),
  'endless-continue': endless('', 'HTTP/1.1 100 Continue\r\n\r\n', 10),
  'many-headers': raw(
    () => `${OK}${Array.from({ length: 5000 }, (_, index) => `x-${index}: ${index}\r\n`).join('')}\r\n[]`,
  ),
  'long-header': raw(() => `${OK}x-long: ${'x'.repeat(MEBI)}\r\n\r\n[]`),
  'odd-headers': raw(
    `${OK}__proto__: 1\r\nconstructor: 2\r\nlocation: ::::\r\nlink: <<<\r\nretry-after: never\r\ncontent-length: 2\r\n\r\n[]`,
  ),
  'wait-429': wait(429, '59'),
  'wait-503': wait(503, '59'),
  'wait-negative': wait(503, '-5'),
  'wait-word': wait(503, '1e9999'),
  'wait-date': wait(503, 'Fri, 31 Dec 9999 23:59:59 GMT'),
  'length-too-long': raw(`${OK}content-length: 50\r\n\r\n[]`),
  'length-too-short': raw(`${OK}content-length: 1\r\n\r\n[]`),
  'length-twice': raw(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\n[]`),
  'length-and-chunks': raw(`${CHUNKED.slice(0, -2)}content-length: 3\r\n\r\n${chunk('[]')}0\r\n\r\n`),
  'length-negative': raw(`${OK}content-length: -1\r\n\r\n[]`),
  'bad-chunk': raw(`${CHUNKED}zz\r\n[]\r\n0\r\n\r\n`),
  'cut-chunk': raw(`${CHUNKED}ff\r\n[`),
  'no-http': raw('SSH-2.0-OpenSSH_9.6\r\n'),
  'half-a-line': raw('HTTP/1.1 2', true),
  'no-body-silent': raw(`${OK}content-length: 5\r\n\r\n`, true),
  'two-answers': raw(`${OK}content-length: 2\r\n\r\n[]${OK}content-length: 2\r\n\r\n[]`),
  'status-0': raw('HTTP/1.1 000 No\r\ncontent-length: 0\r\n\r\n'),
  'status-999': raw('HTTP/1.1 999 No\r\ncontent-length: 2\r\n\r\n{}'),
  'status-101': raw('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
  'status-304': raw('HTTP/1.1 304 Not Modified\r\n\r\n'),
  'nothing-and-closed': ({ socket }) => socket.destroy(),
  reset: ({ socket }) => socket.resetAndDestroy(),
  silent: () => {},
  'redirect-to-itself': ({ url = '' }, outgoing) => {
    outgoing.writeHead(308, { location: url }).end();
  },
  'redirect-elsewhere': (_, outgoing) => {
    outgoing.writeHead(302, { location: 'http://192.0.2.1:9/' }).end();
  },
  bomb: (_, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb());
  },
  'broken-gzip': (_, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
  },
} satisfies Record<string, Shape>;

export type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[];
