import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { scopeOf } from '../../spec/profile/profile.ts';
import { unlessEnded } from '../assert/ending.ts';
import { otherOption } from '../cases/remedy.ts';
import { type CaseContext, sendsMore } from '../cases/rule.ts';
import { type Observation, observeAt, placesOf } from '../settings/observation.ts';
import { easiestModels, type ProbeContext } from '../settings/probe.ts';
import type { ProfileSoFar, Vote } from '../settings/profile-so-far.ts';
import { OBSERVATIONS } from '../settings/settings.ts';
import { type Exchange, sideBySide, unlessUnanswered } from '../target/exchange.ts';

/** How often a model is asked again, because it uses another option on which other requests depend. */
const MOST_ROUNDS = 4;

/**
 * Asks each selected model for the options that it uses. Models whose records contain each other wait for each other.
 * Returns the models, the easiest first.
 */
export async function observeModels(
  context: ProbeContext,
  learned: ProfileSoFar,
  isStopped: () => boolean,
  onModel: (model: Model) => void,
): Promise<readonly Model[]> {
  const { catalogue, isSelected, setup, survey } = context;
  const all = new Set([...easiestModels(context), ...catalogue.models.values()]);
  const models = [...all].filter((model) => isSelected(model) && survey.has(model));
  const reasons = new Map<Observation, string>();
  context.observe();
  if (context.readOnlyBecause === undefined) await setup.prepare(new Set(models));
  const parents = new Map(
    models.flatMap(({ fields, name }) => fields.flatMap(({ lines }) => (lines ? [[lines, name]] : []))),
  );
  const lanes = Map.groupBy(models, ({ name }) => parents.get(name) ?? name);
  await sideBySide(lanes.values(), async (lane) => {
    for (const model of lane) if (!isStopped()) await observeModel(model);
  });
  for (const observation of OBSERVATIONS) {
    const reason = sendsMore(observation) ? context.readOnlyBecause : undefined;
    learned.suppose([observation.setting], reason ?? reasons.get(observation) ?? 'no response showed it');
  }
  return models;

  async function observeModel(model: Model): Promise<void> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const votes = await votesOf(model);
      if (!learned.see(votes)) break;
      setup.startAgain(model);
    }
    await setup.finishModels(new Set([model]));
    onModel(model);
  }

  async function votesOf(model: Model): Promise<Vote[]> {
    const votes: Vote[] = [];
    let isBlocked = false;
    for (const observation of OBSERVATIONS) {
      if (isStopped()) break;
      if (learned.isUnknown(observation.setting) || (setup.readOnly && sendsMore(observation))) continue;
      if (scopeOf(observation.setting) === 'service' && learned.isSeen(observation.setting)) continue;
      const { catalogue, profile, references } = context;
      const places = placesOf(observation, model, { catalogue, profile, references });
      // A model uses one option for all its fields, unless the setting is about single fields.
      const isOfField = scopeOf(observation.setting) === 'field';
      for (const field of isOfField ? places : places.slice(0, 1)) {
        const vote = await ask(observation, model, field, isOfField && field ? field.key : model.name);
        if (vote) votes.push(vote);
        else isBlocked ||= observation.setting === 'request.encoding';
      }
    }
    return isBlocked ? [...(await othersOf(model)), ...votes] : votes;
  }

  async function ask(
    observation: Observation,
    model: Model,
    field: Field | undefined,
    place: string,
  ): Promise<Vote | undefined> {
    return inCase(model, observation.setting, async (one, last) => {
      const found = await observeAt(observation, one, field);
      if ('none' in found) {
        reasons.set(observation, reasons.get(observation) ?? found.none);
        return undefined;
      }
      const { exchange: evidence = last(), ...rest } = found;
      return evidence && { setting: observation.setting, place, ...rest, evidence };
    });
  }

  /** Returns the option that keeps learn from creating records of a model. */
  async function othersOf(model: Model): Promise<Vote[]> {
    return inCase(model, 'other options', async (one, last) => {
      const found = await unlessUnanswered(() => unlessEnded(() => one.ask(otherOption)));
      const evidence = last();
      if (!evidence || !found || scopeOf(found.name) === 'service') return [];
      const option = found.option as Vote['option'];
      return [{ setting: found.name, place: found.place, option, shown: String(option), evidence }];
    });
  }

  /** Works in a case of a model, with a function that returns its last exchange. */
  async function inCase<T>(
    model: Model,
    key: string,
    work: (context: CaseContext, last: () => Exchange | undefined) => Promise<T>,
  ): Promise<T> {
    const exchanges: Exchange[] = [];
    const one = setup.open(model, key, (exchange) => exchanges.push(exchange));
    try {
      await one.records.remember();
      return await work(one, () => exchanges.at(-1));
    } finally {
      await setup.close(one);
    }
  }
}
