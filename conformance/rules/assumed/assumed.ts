import { SETTINGS, typeSetting } from '../../../spec/profile/profile.ts';
import { isUnset } from '../../assert/agreement.ts';
import { OtherOption, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type Assumption, eachField, type Rule } from '../../plan/rule.ts';
import { nothingToSee, observation } from '../questions/updates.ts';
import { profileValueRules } from '../stated/values.ts';
import { profileDeleteRules } from './delete.ts';
import { profileFilterRules } from './filters.ts';
import { profileLimitRules } from './limits.ts';
import { profileListRules } from './list.ts';
import { profileRequestRules } from './request.ts';
import { profileResponseRules } from './response.ts';
import { profileStatusRules } from './status.ts';

/** The forms of values under the profile: a rule a setting of `types.*`. */
const profileTypeRules: readonly Assumption[] = [
  ...SETTINGS.filter(({ name }) => name.startsWith('types.')).map(({ name }): Assumption => {
    return {
      title: `Values of type ${name.slice('types.'.length)} have the wire format set in the profile`,
      requirement: 'types-not-shown',
      setting: name,
      needs: [],
      cases: eachField(
        (field) => typeSetting(field) === name,
        async (context, field) => {
          const { records } = await context.ask(observation);
          if (records.length === 0) throw await nothingToSee(context);
          const set = records.filter(({ record }) => !isUnset(field, record[field.name]));
          if (set.length === 0) throw new Skip(`no response contains a value of ${field.key}`);
          for (const { answer, from, record } of set) {
            const value = record[field.name];
            const option = context.check.complaint(field, value) && context.check.otherOption(field, value);
            if (option !== undefined)
              throw new OtherOption(
                `${field.name} in the response to ${from} has another format`,
                `${name} ${context.profile[name]}`,
                `${name} ${option}: ${show(value)}`,
                answer.exchange,
              );
          }
        },
      ),
    };
  }),
];

const rules: readonly Assumption[] = [
  ...profileValueRules,
  ...profileRequestRules,
  ...profileResponseRules,
  ...profileStatusRules,
  ...profileDeleteRules,
  ...profileListRules,
  ...profileFilterRules,
  ...profileTypeRules,
  ...profileLimitRules,
];

/** What the profile supposes: each is about a setting. */
export const ASSUMED = rules.map(
  (rule): Rule => ({ id: `profile.${rule.setting}`, ...rule, level: 'assumed' }),
);
