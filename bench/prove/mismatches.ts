import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { createWireCheck } from '../../conformance/assert/agreement.ts';
import { RULES, type Selection } from '../../conformance/plan/plan.ts';
import type { Outcome } from '../../conformance/results/results.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import { createMock, type Mock } from '../../mock/mock.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import {
  DEFAULT_PROFILE,
  type Profile,
  SETTINGS,
  type Setting,
  type SettingName,
} from '../../spec/profile/profile.ts';
import { profileOf } from '../../testing/profile/profile-cover.ts';
import { casesOf, runOn } from './run-on.ts';

/** A wrong supposition that no rule of its setting can name, or that also breaks stated rules. */
type Exception = {
  readonly setting: SettingName;
  /** The options of the service; any by default. */
  readonly spoken?: readonly unknown[];
  /** The options that the check supposes; any by default. */
  readonly supposed?: readonly unknown[];
  readonly why: string;
  /** Where the run shows that something is wrong all the same, if it does. In stated rules: a rule of the setting fails, too. */
  readonly shows?: 'in-operations' | 'in-stated-rules';
};

const EXCEPTIONS: readonly Exception[] = parse(
  readFileSync(join(import.meta.dirname, 'mismatches.yaml'), 'utf8'),
);

function findException(setting: SettingName, spoken: Profile, supposed: Profile): Exception | undefined {
  const isIn = (options: readonly unknown[] | undefined, profile: Profile) =>
    options?.some((option) => isDeepStrictEqual(option, profile[setting])) ?? true;
  return EXCEPTIONS.find(
    (known) => known.setting === setting && isIn(known.spoken, spoken) && isIn(known.supposed, supposed),
  );
}

/** A service under one profile, checked under another one that differs in one setting. */
export type Mismatch = {
  readonly setting: Setting;
  readonly spoken: Profile;
  readonly supposed: Profile;
  readonly exception?: Exception;
};

/** `misjudged`: a stated rule fails, although the service keeps all of them. */
export type MismatchVerdict = 'noticed' | 'unnoticed' | 'excepted' | 'excepted-wrongly' | 'misjudged';

/** For each setting, each option supposed where each other one is spoken. */
export function listMismatches(catalogue: Catalogue): Mismatch[] {
  return SETTINGS.flatMap((setting) => {
    const name = setting.name;
    const profiles = profilesOf(setting, catalogue);
    return profiles.flatMap((spoken) =>
      profiles
        .filter((supposed) => !isDeepStrictEqual(supposed[name], spoken[name]))
        .map((supposed) => {
          const exception = findException(name, spoken, supposed);
          return { setting, spoken, supposed, ...(exception ? { exception } : {}) };
        }),
    );
  });
}

export type MismatchTrial = (tried: Mismatch) => Promise<MismatchVerdict>;

/**
 * Returns whether a rule of the setting fails, or of a setting that it depends on, and whether no stated rule fails.
 * Requests that the supposed profile excludes are blocked, or pass.
 */
export function createMismatchTrial(contract: Omit<Contract, 'profile'>, fixtures: Fixtures): MismatchTrial {
  // The mismatches of one profile are next to each other. Most settings have the default profile among theirs.
  const usual = JSON.stringify(DEFAULT_PROFILE);
  const mocks = new Map<string, Promise<Mock>>();
  const speak = (profile: Profile) => {
    const name = JSON.stringify(profile);
    const mock = mocks.get(name) ?? createMock({ ...contract, profile, fixtures });
    // The default one and the last one: each mock has megabytes of compiled schemas.
    for (const key of mocks.keys()) if (key !== name && key !== usual) mocks.delete(key);
    mocks.set(name, mock);
    return mock;
  };
  const stated: Selection = { levels: ['stated'], models: modelsOfAllTypes(contract.catalogue) };
  return async ({ exception, setting, spoken, supposed }) => {
    const mock = await speak(spoken);
    const asked = { ...contract, profile: supposed };
    const asSupposed = { ...asked, check: createWireCheck(asked) };
    const shows = async (selection: Selection, telling: readonly Outcome[]) => {
      if (casesOf(asSupposed, selection).length === 0) return false;
      const results = await runOn(await mock.fork(), { ...asSupposed, selection, failFast: true });
      return results.some(({ outcome }) => telling.includes(outcome));
    };
    const breaksStated = exception?.shows === 'in-stated-rules';
    if ((await shows(stated, ['fail'])) !== breaksStated) return 'misjudged';
    const rules = RULES.filter((rule) => rule.setting === setting.name).map(({ id }) => id);
    const noticed = await shows({ rules }, ['fail']);
    if (!exception || breaksStated) return noticed ? 'noticed' : 'unnoticed';
    if (noticed) return 'excepted-wrongly';
    if (!exception.shows) return 'excepted';
    return (await shows({ rules: ['operations'] }, ['fail', 'blocked'])) ? 'excepted' : 'excepted-wrongly';
  };
}

/** `status.created 200, supposed to be 201` */
export function nameOfMismatch({ setting, spoken, supposed }: Mismatch): string {
  const name = setting.name;
  return `${name} ${JSON.stringify(spoken[name])}, supposed to be ${JSON.stringify(supposed[name])}`;
}

/** Few models, whose fields have every type there is. */
function modelsOfAllTypes({ models }: Catalogue): string[] {
  const chosen: string[] = [];
  const missing = new Set([...models.values()].flatMap(featuresOf));
  while (missing.size > 0) {
    const gain = (model: Model) => featuresOf(model).filter((feature) => missing.has(feature)).length;
    const [best] = [...models.values()].toSorted((one, other) => gain(other) - gain(one));
    if (!best) break;
    chosen.push(best.name);
    for (const feature of featuresOf(best)) missing.delete(feature);
  }
  return chosen;
}

/** The types of its writable fields. A value list and lines count as types. */
function featuresOf({ fields }: Model): string[] {
  const writable = fields.filter(({ readonly }) => !readonly);
  return [...new Set(writable.map(({ choices, type }) => (choices ? `list of ${type}` : type)))];
}

/** Settings that exclude some options, set alike for all options. */
const BESIDE = [{}, { 'response.records': '/records' }];

/** Returns a profile for each option of a setting. The other settings are the same. */
function profilesOf({ name, variants }: Setting, catalogue: Catalogue): Profile[] {
  for (const beside of BESIDE) {
    const profiles = variants.flatMap((option) => profileOf({ ...beside, [name]: option }, catalogue) ?? []);
    if (profiles.length === variants.length) return profiles;
  }
  throw new Error(`no profile lets ${name} take each of its options`);
}
