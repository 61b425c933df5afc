import { drawFirst } from './people.ts';
import type { Random } from './random.ts';
import { SPANISH } from './spanish.ts';

/** Returns a text for a field; undefined for fields without texts. */
export function drawText(key: string, random: Random): string | undefined {
  const texts = SPANISH.texts[key];
  return texts && random.pick(texts).replaceAll(/\{(\w+)\}/g, (_, slot: string) => fill(slot, random));
}

function fill(slot: string, random: Random): string {
  const words = SPANISH.slots[slot];
  if (words) return random.pick(words);
  if (slot === 'time') return `${random.int(9, 21)}:${random.pick(['00', '15', '30', '45'])}`;
  return slot === 'who' ? drawFirst(random) : String(random.int(2, 8));
}
