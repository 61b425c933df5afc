import type { Model } from '../../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../../spec/catalogue/field.ts';
import type { SettingName } from '../../../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../../../spec/types/types.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../../api/answer.ts';
import { findRecord } from '../../../api/places.ts';
import { agrees, isUnset } from '../../../assert/agreement.ts';
import { show } from '../../../assert/wire-check.ts';
import type { ModelRecords } from '../../../records/model-records.ts';
import type { Samples } from '../../../records/values/samples.ts';
import { asKept } from '../../../records/values/values.ts';
import { type Finding, found, otherForm, type SettingAnswer, unknown } from '../../finding.ts';
import { under } from '../../probe.ts';
import type { ProbeContext } from '../../probe-context.ts';
import { describe } from '../quoting.ts';
import { optionsOf, variantsOf } from './type-forms.ts';

/** Makes a record with a value of the field under each option of its type, until one comes back in its form. */
export async function tryField(
  context: ProbeContext,
  setting: SettingName,
  model: Model,
  field: Field,
): Promise<Finding> {
  const { profile } = context;
  const { records, samples } = await context.open(model, field);
  const canonical = telltale(samples, field);
  if (canonical === undefined) return unknown(`there is no record that ${field.key} can link to`);
  const others = samples.values('required', [field]);
  const values = { ...others, [field.name]: canonical };
  let reason = '';
  let isOther = false;
  let taken: SettingAnswer | undefined;
  const refusals: Answer[] = [];
  /** The options that are taken, and shown in the form of another. */
  const turned: SettingAnswer[] = [];
  const options = variantsOf(setting);
  for (const option of options.toSorted(
    (one, other) => Number(other === profile[setting]) - Number(one === profile[setting]),
  )) {
    const seen = await records.create(values, { settings: { [setting]: option } });
    const wire = isAccepted(seen) ? findRecord(model, seen.json)?.value[field.name] : undefined;
    if (isRefused(seen)) refusals.push(seen);
    if (wire === undefined || isUnset(field, wire)) {
      reason = describe(seen);
      continue;
    }
    const options = optionsOf({ field, wire, seen }, setting, profile);
    if (options.length === 0) {
      isOther = true;
      taken ??= option;
    }
    const shown = options.filter((candidate) => {
      const spoken = under(profile, setting, candidate);
      const kept = WIRE_TYPES[field.type].decode(wire, { field, profile: spoken });
      return agrees(field, asKept(field, canonical, spoken), kept);
    });
    // Where no other option has the form that was sent and is shown, it is the value that was changed.
    const isTold = options.length === 1 && options[0] === option;
    if ((shown.length === 1 && shown[0] === option) || isTold) return found(option, seen);
    if (options.length === 1) turned.push(option);
    // What is shown in another form than it was sent in may be taken in that form too, which another turn tells.
    if (shown.length === 1) [isOther, taken] = [true, taken ?? option];
    reason = `${field.key} is returned as ${show(wire)}`;
  }
  // Whole numbers alone are taken of money, say, and shown with decimals.
  const [only] = turned;
  if (only !== undefined && refusals.length === options.length - 1) [isOther, taken] = [true, taken ?? only];
  if (refusals.length === variantsOf(setting).length)
    isOther = await isToBlame(records, field, others, refusals);
  const said = `no value of ${field.key} shows the option: ${reason}`;
  return isOther ? otherForm(said, taken) : unknown(said);
}

/** Whether it is the field for which creates are refused: without it, or by what they say where it is required. */
async function isToBlame(
  records: ModelRecords,
  field: Field,
  others: RecordValues,
  refusals: readonly Answer[],
): Promise<boolean> {
  if (!field.required) return isAccepted(await records.create(others));
  return refusals.every(({ body }) => new RegExp(`\\b${field.name}\\b`).test(body));
}

/** A value whose forms differ under every two options: a fraction, a list that is not empty. */
function telltale(samples: Samples, field: Field): Value | undefined {
  if (field.type === 'currency') return 12.5;
  if (field.type === 'daysOfWeek') return [2, 7];
  const value = samples.value(field);
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}
