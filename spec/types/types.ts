import type { Field, TypeName } from '../catalogue/field.ts';
import { bool } from './bool.ts';
import { currency } from './currency.ts';
import { date } from './date.ts';
import { datetime } from './datetime.ts';
import { daysOfWeek } from './days-of-week.ts';
import { duration } from './duration.ts';
import { email } from './email.ts';
import { fkModel } from './fk-model.ts';
import { float } from './float.ts';
import { int } from './int.ts';
import { lines } from './lines.ts';
import { manyToMany } from './many-to-many.ts';
import { percent } from './percent.ts';
import { select } from './select.ts';
import { text } from './text.ts';
import { time } from './time.ts';
import { url } from './url.ts';
import type { WireType } from './wire-type.ts';

/** Every type of section 2 with its form on the wire. */
export const WIRE_TYPES: Readonly<Record<TypeName, WireType>> = {
  int,
  string: text,
  text,
  float,
  bool,
  date,
  time,
  datetime,
  currency,
  percent,
  email,
  url,
  image: url,
  markdown: text,
  duration,
  daysOfWeek,
  select,
  manyToMany,
  fkModel,
  lines,
};

/** Whether the values of a field are texts as such, and not another thing that is written as a text. */
export function isText({ type }: Pick<Field, 'type'>): boolean {
  return WIRE_TYPES[type] === text;
}
