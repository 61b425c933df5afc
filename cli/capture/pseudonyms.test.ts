import { faker } from '@faker-js/faker/locale/es';
import { describe, expect, test } from 'vitest';
import { createPseudonyms, type Original } from './pseudonyms.ts';

const randomName = (number: number) => {
  faker.seed(number);
  return faker.person.lastName();
};

/** Replaces texts, written as `kind: text`. */
function replaceAll(lines: readonly string[], seed = 'a', longest = Number.POSITIVE_INFINITY): string[] {
  const originals = lines.map((line): Original => {
    const [kind = '', ...text] = line.split(': ');
    return { kind: kind as Original['kind'], text: text.join(': ') };
  });
  return originals.map(createPseudonyms(originals, { seed, randomName, longest }));
}

test('the same text has the same replacement, and others have others', () => {
  const lines = ['name: Ana Ruiz', 'name: Ana', 'text: Ana Ruiz', 'text: Avisar a ANA.', 'name: Eva'];
  const [name = '', first = '', elsewhere, text = '', other] = replaceAll(lines);
  expect(elsewhere).toBe(name);
  expect(name.split(' ')[0]).toBe(first);
  expect(text.split(' ').at(-1)).toBe(`${first.toUpperCase()}.`);
  expect(other).not.toBe(first);
  const many = Array.from({ length: 2000 }, (_, index) => `name: N${index}`);
  expect(new Set(replaceAll(many)).size).toBe(many.length);
});

test('a seed makes the replacements repeatable', () => {
  const lines = ['name: Ana Ruiz', 'phone: 600 111 222', 'email: ana@club.es', 'text: Socia desde 1999'];
  expect(replaceAll(lines)).toEqual(replaceAll(lines));
  for (const [index, made] of replaceAll(lines, 'b').entries())
    expect(made).not.toBe(replaceAll(lines)[index]);
});

test.each([
  ['email: ana.ruiz@club.es', /^[a-z]+\.[a-z]+@example\.test$/],
  ['email: ñ@club.es', /^[a-z]+@example\.test$/],
  ['phone: +34 612 345 678', /^\+34 000 \d{3} \d{3}$/],
  ['phone: 0034612345678', /^\d{13}$/],
  ['phone: (612) 345-678', /^\(000\) \d{3}-\d{3}$/],
  ['phone: 112', /^\d{3}$/],
  ['phone: preguntar por Ana', /^[a-z]{9} [a-z]{3} \w+$/i],
  ['name: María de la O', /^\p{Lu}\p{Ll}+ de la \p{Lu}$/u],
  ['name: De la', /^[A-Z][a-z] [a-z]{2}$/],
  ['text: 12345678Z', /^\d{8}[A-Z]$/],
  ['text: Calle Mayor, 12', /^[A-Z][a-z]{4} [A-Z][a-z]{4}, \d{2}$/],
  ['text: **Hola**\n- uno <b>dos</b>', /^\*\*[A-Z][a-z]{3}\*\*\n- [a-z]{3} <([a-z])>[a-z]{3}<\/\1>$/],
  ['url: https://club.es/foto.png?v=1', /^https:\/\/example\.test\/[a-z]{12}\.png$/],
  ['url: socios/7', /^https:\/\/example\.test\/[a-z]{12}$/],
  ['account: ES91 2100 0418 4502 0005 1332', /^ES\d{2}( \d{4}){5}$/],
  ['account: 430-00012', /^\d{3}-\d{5}$/],
  ['text: ---', /^---$/],
  ['text: 山田太郎', /^[a-z]{4}$/i],
])('%j keeps its shape', (line, shape) => {
  const [made = ''] = replaceAll([line]);
  expect(made).toMatch(shape);
  if (/[\p{L}\p{N}]/u.test(line.split(': ')[1] ?? '')) expect(`x: ${made}`).not.toBe(line);
});

test('a valid IBAN stays valid', () => {
  const [made = ''] = replaceAll(['account: DE89 3704 0044 0532 0130 00']);
  const moved = made.replaceAll(' ', '').replace(/^(.{4})(.*)$/, '$2$1');
  const digits = moved.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  expect(BigInt(digits) % 97n).toBe(1n);
});

test('a replacement is not longer than texts can be', () => {
  const [made = ''] = replaceAll(['name: Al Bo Cy Du Ed'], 'a', 12);
  expect(made.length).toBeLessThanOrEqual(12);
});

describe('no replacement is one of the originals', () => {
  test('even if they have the names and numbers that replacements are made of', () => {
    const names = Array.from({ length: 300 }, (_, index) => `name: ${randomName(index)}`);
    const short = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `name: ${letter}`);
    const phones = Array.from(
      { length: 300 },
      (_, index) => `phone: +34 000 000 ${String(index).padStart(3, '0')}`,
    );
    const emails = ['email: a@example.test', 'email: b@example.test'];
    const lines = [...new Set([...names, ...phones, ...emails])];
    const originals = new Set(lines.map((line) => line.split(': ')[1]));
    for (const made of replaceAll(lines)) expect(originals).not.toContain(made);
    for (const [index, made] of replaceAll(short).entries()) expect(`name: ${made}`).not.toBe(short[index]);
  });
});
