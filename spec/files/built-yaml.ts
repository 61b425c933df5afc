/**
 * The YAML files of the kit as the build wrote them down, in JSON: to read and check YAML took half of a start. A
 * mapping is a list of its pairs, since keys of YAML have an order and may be numbers.
 */
import { existsSync, readFileSync } from 'node:fs';
import { kitFile, nameInKit } from './kit-file.ts';
import type { Key, Place } from './place.ts';

type Built =
  | string
  | number
  | boolean
  | null
  | readonly Built[]
  | { readonly pairs: readonly [Key, Built][] };

const isBuilt = import.meta.filename.endsWith('.js');

/** What the build writes of a file `NAME` to `dist/data/NAME.json`. */
export function toBuilt(place: Place): Built {
  const { value } = place;
  if (Array.isArray(value)) return place.items().map(toBuilt);
  if (value === null || typeof value !== 'object') return value as Built;
  return { pairs: place.entries().map(([key, member]) => [key, toBuilt(member)]) };
}

/** The value of a file that the build has written and checked, mappings as `Map`; undefined for any other file. */
export function readBuilt(path: string): unknown {
  const name = isBuilt ? nameInKit(path) : undefined;
  const file = kitFile(`dist/data/${name}.json`);
  if (name === undefined || !existsSync(file)) return undefined;
  return fromBuilt(JSON.parse(readFileSync(file, 'utf8')));
}

function fromBuilt(built: Built): unknown {
  if (Array.isArray(built)) return built.map(fromBuilt);
  if (built === null || typeof built !== 'object' || !('pairs' in built)) return built;
  return new Map(built.pairs.map(([key, member]) => [key, fromBuilt(member)]));
}
