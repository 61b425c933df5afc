/** Random numbers that are the same for the same keys. */
export type Random = ReturnType<typeof createRandom>;

/** Returns random numbers for some keys, such as a seed, a model, and a position. */
export function createRandom(...keys: readonly (string | number)[]) {
  // FNV-1a, then mulberry32: small, fast, and the same on every machine.
  let state = 2_166_136_261;
  for (const character of keys.join(' '))
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  /** Returns a whole number between two others, including them. */
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    pick: <Item>(items: readonly Item[]): Item => items[int(0, items.length - 1)] as Item,
    /** Whether something happens that happens with this probability. */
    chance: (probability: number): boolean => next() < probability,
    digits: (length: number): string => Array.from({ length }, () => int(0, 9)).join(''),
  };
}
