import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { type SettingName, whyFormless, whyUnknown, whyUnmakeable } from '../../spec/profile/profile.ts';
import { Blocked, DIFFER, Skip, speaksAnother, Unjudged } from '../assert/failure.ts';
import { otherSetting } from '../rules/support/other-setting.ts';
import { type Case, type CaseContext, type Rule, sendsMore } from './rule.ts';

/**
 * The case, skipped where it rests on a setting that nobody found out: the one its rule is about, the form of its
 * field, one that turns out to keep it from judging, or the form of a value that its records can't do without.
 */
export function passOver(item: Case, rule: Rule, model: Model, plan: Contract): Case {
  const needKnown = (setting: SettingName | undefined) => {
    const why = setting && whyUnknown(plan.profile, setting);
    if (why !== undefined) throw new Skip(why);
  };
  const formless = item.field && whyFormless(item.field, plan);
  const run: Case['run'] = async (context) => {
    needKnown(rule.setting);
    if (formless !== undefined) throw new Skip(formless);
    const { whyPinned, whyUnsent } = context.samples;
    const unsent =
      item.field && sendsMore(rule, item) && (rule.triesRefused ? whyPinned : whyUnsent)(item.field);
    if (unsent) throw new Skip(unsent);
    try {
      await item.run(context);
    } catch (error) {
      if (!(error instanceof Blocked)) throw error;
      needKnown(error.setting);
      const other = plan.profile.learned && (error.setting ?? (await findOther(context, error.model)));
      if (other && rule.setting && other.split(' ').includes(rule.setting))
        throw speaksAnother(rule.setting, plan.profile, other, error.exchange);
      if (other) throw new Unjudged(`${error.message}; ${DIFFER} (${other})`);
      const why = whyUnmade(model, plan);
      if (why !== undefined) throw new Skip(why);
      throw error;
    }
  };
  return { ...item, run };
}

/**
 * Returns the setting of which a model uses another option than the profile has, so that the run can't create records of
 * it. Default: the model of the case.
 */
async function findOther({ ask }: CaseContext, of?: Model): Promise<string | undefined> {
  try {
    return await ask(otherSetting, of);
  } catch (error) {
    if (error instanceof Blocked) return undefined;
    throw error;
  }
}

/** Why records of a model may not be made: they, or what they need, need a value whose form is unknown. */
function whyUnmade(model: Model, plan: Contract, above: readonly string[] = []): string | undefined {
  const { catalogue, references } = plan;
  if (above.includes(model.name)) return undefined;
  for (const field of model.fields) {
    if (!field.required || field.readonly) continue;
    const why = whyUnmakeable(field, plan);
    if (why !== undefined) return `${field.key} needs ${withArticle(field.type)}: ${why}`;
    const link = references.get(field.key);
    const needed = catalogue.models.get(field.lines ?? (link && 'to' in link ? link.to : ''));
    const below = needed && whyUnmade(needed, plan, [...above, model.name]);
    if (below !== undefined) return below;
  }
  return undefined;
}
