import type { Catalogue } from '../../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../../spec/catalogue/field.ts';
import { type Profile, SETTINGS, type SettingName, typeSetting } from '../../../../spec/profile/profile.ts';
import { compileWireSchema } from '../../../../spec/types/obeys.ts';
import { WIRE_TYPES } from '../../../../spec/types/types.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import type { Answer } from '../../../api/answer.ts';
import { isObject } from '../../../api/places.ts';
import { isUnset } from '../../../assert/agreement.ts';
import { show } from '../../../assert/wire-check.ts';
import type { SeenRecord } from '../../../records/ids.ts';
import { type Finding, found, otherForm, type SettingAnswer, unknown } from '../../finding.ts';
import { under } from '../../probe.ts';

/** A value that is set, in wire form, with the answer that showed it. */
export type SeenValue = { readonly field: Field; readonly wire: Value; readonly seen: Answer };

/** The settings that say how a type looks on the wire. */
export const TYPE_SETTINGS = SETTINGS.flatMap(({ name }) => (name.startsWith('types.') ? [name] : []));

/** Of values that one option could not have shown, this part has to speak for the option that is chosen. */
const CLEAR = 0.9;

/** The options of a type's setting whose schema the value obeys. */
export function optionsOf(
  { field, wire }: SeenValue,
  setting: SettingName,
  profile: Profile,
): SettingAnswer[] {
  return variantsOf(setting).filter((option) => {
    const schema = WIRE_TYPES[field.type].schema({ field, profile: under(profile, setting, option) });
    return compileWireSchema(JSON.stringify(schema))(wire);
  });
}

/** The option that all values speak for, or why there is none. */
export function judgeForms(setting: SettingName, values: readonly SeenValue[], profile: Profile): Finding {
  const variants = variantsOf(setting);
  const marked = values.map((value) => ({ value, options: optionsOf(value, setting, profile) }));
  // Where there is a choice, a value that every option could have shown says nothing.
  const telling = marked.filter(({ options }) => options.length < variants.length || variants.length === 1);
  const scores = variants.map((option) => telling.filter(({ options }) => options.includes(option)).length);
  const most = Math.max(...scores);
  const leaders = variants.filter((_, index) => scores[index] === most);
  const [option] = leaders;
  if (values.length === 0) return unknown('no response contains a value of this type');
  if (telling.length === 0 || (leaders.length > 1 && most > 0))
    return unknown(
      `the ${values.length} values found are the same under ${(telling.length === 0 ? variants : leaders).join(' and ')}`,
    );
  const odd = telling.find(({ options }) => option === undefined || !options.includes(option));
  if (option === undefined || most < telling.length * CLEAR) {
    const reason = `values such as ${show(odd?.value.wire)} (${odd?.value.field.key}) match none of the options ${variants.join(', ')}`;
    return most === 0 ? otherForm(reason) : unknown(reason);
  }
  const proof = telling.find(({ options }) => options.length === 1 && options[0] === option) ?? telling[0];
  return proof ? found(option, proof.value.seen) : unknown('no response contains a value of this type');
}

/** The values that are set in records and in the lines they hold, by the setting of their type. */
export function valuesByType(
  records: readonly SeenRecord[],
  catalogue: Catalogue,
): ReadonlyMap<SettingName, readonly SeenValue[]> {
  const values = new Map<SettingName, SeenValue[]>(TYPE_SETTINGS.map((name) => [name, []]));
  for (const { answer, model, record } of records) collect(model.fields, record, answer);
  return values;

  function collect(fields: readonly Field[], record: RecordValues, seen: Answer): void {
    for (const field of fields) {
      const wire = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
      const setting = typeSetting(field);
      if (wire === undefined || isUnset(field, wire) || setting === undefined) continue;
      values.get(setting)?.push({ field, wire, seen });
      const line = catalogue.models.get(field.lines ?? '');
      if (line && Array.isArray(wire))
        for (const item of wire) if (isObject(item)) collectLine(line.fields, item, seen);
    }
  }

  /** Lines hold no further lines that could tell more. */
  function collectLine(fields: readonly Field[], item: RecordValues, seen: Answer): void {
    collect(
      fields.filter(({ lines }) => lines === undefined),
      item,
      seen,
    );
  }
}

export function variantsOf(setting: SettingName): SettingAnswer[] {
  return (SETTINGS.find(({ name }) => name === setting)?.variants ?? []) as SettingAnswer[];
}
