import type { Field, TypeName } from '../../spec/catalogue/field.ts';

/** For each type, a form that is invalid under every profile. */
const WRONG_FORMS: Readonly<Record<TypeName, unknown>> = {
  int: '7',
  float: '7.5',
  currency: true,
  percent: true,
  string: 7,
  text: 7,
  markdown: 7,
  bool: 'yes',
  date: 20251022,
  time: 930,
  datetime: 1761125400,
  email: 'nobody',
  url: 'no address',
  image: 7,
  duration: true,
  daysOfWeek: 'monday',
  select: ['no-member'],
  manyToMany: '1,2',
  fkModel: 7,
  lines: 'no-list',
};

export function wrongForm({ type }: Field): unknown {
  return WRONG_FORMS[type];
}
