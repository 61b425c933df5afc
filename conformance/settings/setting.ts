import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { type SettingName, typeSetting } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import { linkTarget, writableFields } from '../records/values/values.ts';
import type { Findings } from './finding.ts';
import type { ProbeContext } from './probe-context.ts';

/** Requests that find out settings. A probe is skipped if earlier probes found all of its settings. */
export type Probe = {
  readonly settings: readonly SettingName[];
  readonly needs: 'reading' | 'writing';
  /**
   * Whether the probe also runs if its settings were found: to verify them, because a service might accept values in
   * another form than it returns; or to refine them, because a part of the value is unknown.
   */
  readonly again?: 'verify' | 'refine';
  /** Returns its findings. Settings without a finding don't change. If it throws `blocked`, all become unknown. */
  run(context: ProbeContext): Promise<Findings>;
};

const TEXT_TYPES: readonly string[] = ['string', 'text', 'markdown'];

/**
 * Returns the models of the service that a probe can write to. First come those without a refused create, then the
 * selected ones, those with a text field, those with the fewest requirements, and those with the fewest fields.
 */
export function easiestModels(
  { catalogue, isSelected, references, refused, survey }: ProbeContext,
  wanted: (model: Model) => boolean = () => true,
): Model[] {
  return [...catalogue.models.values()]
    .filter(({ operations }) => NEEDED.every((operation) => operations.includes(operation)))
    .filter((model) => survey.has(model) && wanted(model))
    .map((model) => ({
      model,
      ranks: [
        Number(refused.has(model)),
        Number(!isSelected(model)),
        Number(textFields(model).length === 0),
        costOf(model, references),
        writableFields(model).length,
      ] as const,
    }))
    .sort(({ ranks: one }, { ranks: other }) =>
      one.reduce((sum, rank, index) => sum || rank - (other[index] ?? 0), 0),
    )
    .map(({ model }) => model);
}

const NEEDED = ['create', 'retrieve', 'list', 'delete'] as const;

function costOf(model: Model, references: References): number {
  const required = writableFields(model).filter((field) => field.required);
  const costs = required.map((field) => {
    if (TEXT_TYPES.includes(field.type)) return 1;
    if (linkTarget(field, references) !== undefined) return 8;
    if (field.lines !== undefined) return 12;
    return typeSetting(field) === undefined ? 2 : 3;
  });
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** The writable text fields of a model. */
export function textFields(model: Model): Field[] {
  return writableFields(model).filter(({ type }) => TEXT_TYPES.includes(type));
}
