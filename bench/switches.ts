import { isDeepStrictEqual } from 'node:util';
import { planRun } from '../conformance/plan.ts';
import { RULES } from '../conformance/rules/rules.ts';
import type { Fixtures } from '../fixtures/fixtures.ts';
import type { Plan } from '../mock/defects/defect.ts';
import { createMock } from '../mock/mock.ts';
import type { Catalogue } from '../spec/catalogue.ts';
import { applies, createProfile, type Profile, SETTINGS, type SettingName } from '../spec/profile.ts';
import { UsageError } from '../spec/usage-error.ts';
import { runOn } from './run-on.ts';

/** A service that speaks one profile, checked under another that differs in one setting. */
export type Switch = {
  readonly setting: SettingName;
  readonly spoken: Profile;
  readonly supposed: Profile;
  /** Why no rule of the setting can fail. */
  readonly hidden?: string;
};

type Exception = {
  readonly setting: SettingName;
  when(spoken: Profile, supposed: Profile): boolean;
  readonly why: string;
};

const EXCEPTIONS: readonly Exception[] = [];

/** Each option of each setting supposed where another one is spoken; whatever the setting needs beside it is set too. */
export function listSwitches(catalogue: Catalogue): Switch[] {
  return SETTINGS.flatMap((setting) => {
    const name = setting.name as SettingName;
    const beside = Object.fromEntries(setting.when.map(([other, values]) => [other, values[0]]));
    const profiles = setting.variants.flatMap((variant) =>
      tryCreate({ ...beside, [name]: variant }, catalogue),
    );
    return profiles.flatMap((spoken) =>
      profiles
        .filter((supposed) => !isDeepStrictEqual(supposed[name], spoken[name]))
        .filter((supposed) => applies(setting, spoken) && applies(setting, supposed))
        .map((supposed) => {
          const exception = EXCEPTIONS.find(
            (known) => known.setting === name && known.when(spoken, supposed),
          );
          return { setting: name, spoken, supposed, ...(exception ? { hidden: exception.why } : {}) };
        }),
    );
  });
}

/** Whether some case of a rule of the setting fails. */
export async function trySwitch(
  { setting, spoken, supposed }: Switch,
  plan: Omit<Plan, 'profile'>,
  fixtures: Fixtures,
): Promise<boolean> {
  const rules = RULES.filter((rule) => rule.setting === setting).map(({ id }) => id);
  if (rules.length === 0 || !hasCases({ ...plan, profile: supposed }, rules)) return false;
  const mock = await createMock({ ...plan, profile: spoken, fixtures });
  const cases = await runOn(mock, { ...plan, profile: supposed, selection: { rules } });
  return cases.some(({ outcome }) => outcome === 'fail');
}

/** `status.created 200, supposed to be 201` */
export function nameOfSwitch({ setting, spoken, supposed }: Switch): string {
  return `${setting} ${JSON.stringify(spoken[setting])}, supposed to be ${JSON.stringify(supposed[setting])}`;
}

function hasCases(plan: Plan, rules: readonly string[]): boolean {
  try {
    return planRun(plan, { rules }).length > 0;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** Settings that can't hold together with the default of another get the other's place beside them. */
function tryCreate(settings: Readonly<Record<string, unknown>>, catalogue: Catalogue): Profile[] {
  for (const more of [{}, { 'response.records': '/records' }, { 'list.defaultSize': 20 }])
    try {
      return [createProfile({ ...more, ...settings }, catalogue)];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
  return [];
}
