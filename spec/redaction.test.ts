import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedaction, REDACTED } from './redaction.ts';

/** A secret in a header: six characters or more, without a space at its ends. */
const secrets = fc.stringMatching(/^[!-~][ -~]{4,28}[!-~]$/);

/** How a service may repeat a text in an answer, at any depth. */
const echoes: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => `is ${text} yours?`,
  'in a line of a record': (text) => JSON.stringify({ id: 1, lines: [{ id: 2, comments: text }] }),
  'in a list of texts': (text) => JSON.stringify(['a', [text], 'b']),
  'as a name': (text) => JSON.stringify({ [text]: 1 }),
  'as JSON inside JSON': (text) => JSON.stringify({ message: JSON.stringify({ was: text }) }),
  'in a query': (text) => `https://a.example/x?q=${encodeURIComponent(text)}&y=1`,
  'in a form': (text) => new URLSearchParams({ text, more: '1' }).toString(),
  'in a path': (text) => `https://a.example/${encodeURI(text)}/x`,
  'in base64': (text) => `{"raw":"${Buffer.from(text).toString('base64')}"}`,
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'in a page': (text) =>
    `<p title="${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')}">`,
  'over two lines': (text) => `first: ${text}\r\nsecond: ${text}\n`,
};

/** Every way in which a person can give a secret, as the header that carries it. */
const carriers: Readonly<Record<string, (secret: string) => Record<string, string>>> = {
  'a token': (secret) => ({ authorization: `Bearer ${secret}` }),
  'a password': (secret) => ({ authorization: `Basic ${Buffer.from(`me:${secret}`).toString('base64')}` }),
  'a key': (secret) => ({ 'x-api-key': secret }),
};

describe.each(Object.entries(carriers))('%s', (_, carry) => {
  test.each(Object.entries(echoes))('that an answer repeats %s does not stand in it', (__, echo) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const shown = createRedaction(carry(secret))(echo(secret));
        expect(shown).toContain(REDACTED);
        expect(shown).not.toContain(secret);
      }),
      { numRuns: 30, seed: 1 },
    );
  });
});
