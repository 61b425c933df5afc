import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { isDeleted } from '../../../spec/catalogue/roles.ts';
import { type Id, isId } from '../../api/places.ts';
import { Blocked, Skip, Withheld } from '../../assert/failure.ts';
import { type LinkSource, linkTarget } from '../values/values.ts';
import { createHarvest, type Harvest, type HarvestOptions } from './harvest.ts';
import { createLinkFields } from './link-fields.ts';

/** The records that others link to: made first, found among the target's own, or given. */
export type Links = LinkSource &
  Pick<Harvest, 'isUnbound' | 'remedyFor'> & {
    /** Gets hold of records of everything the models link to; what fails blocks only the cases that need it. */
    prepare(models: ReadonlySet<Model>): Promise<void>;
    /** The same for some fields of a model alone. */
    prepareFields(model: Model, fields: readonly Field[]): Promise<void>;
    /** Whether a client can link records of one model to records of another. */
    mayLink(from: Model, to: Model): boolean;
  };

export type LinksOptions = HarvestOptions & {
  /** Makes a record of a model with its required fields. Throws Blocked. */
  make(model: Model): Promise<number | string>;
  /** Makes one record of each model, and not as many as the links of all others need to move about. */
  readonly oneEach?: boolean;
};

export function createLinks(options: LinksOptions): Links {
  const { bindings, make, oneEach = false, plan, see } = options;
  const { catalogue, references } = plan();
  const { mayLink, requiredInLines, wantedOf, writableWithLines } = createLinkFields(plan());
  const ids = new Map<string, readonly (number | string)[]>(bindings);
  const reasons = new Map<string, Blocked | Withheld>();
  const { harvest, isUnbound, remedyFor, shownOf } = createHarvest(options, ids);
  return {
    async prepare(models) {
      await harvest(models);
      const fields = [...models].flatMap(writableWithLines);
      await ensureAll(fields);
    },
    async prepareFields(model, fields) {
      await harvest(new Set([model]));
      await ensureAll(fields.flatMap((field) => [field, ...requiredInLines(field)]));
    },
    idOf(name, number) {
      const known = ids.get(name) ?? [];
      return known[number % Math.max(1, known.length)];
    },
    whyNone: (name) => reasons.get(name) ?? new Blocked('none could be created'),
    mayLink,
    shownOf,
    isUnbound,
    remedyFor,
  };

  async function ensureAll(fields: readonly Field[]): Promise<void> {
    const under = new Set<string>();
    for (const field of fields) await ensure(linkTarget(field, references), under);
  }

  /** Makes the records others link to; before them, those that they can't be without. */
  async function ensure(name: string | undefined, under: Set<string>): Promise<void> {
    const model = catalogue.models.get(name ?? '');
    if (!model || ids.has(model.name) || under.has(model.name)) return;
    under.add(model.name);
    for (const field of writableWithLines(model))
      if (field.required) await ensure(linkTarget(field, references), under);
    const made: (number | string)[] = [];
    const wanted = oneEach ? 1 : wantedOf(model);
    try {
      if (!model.operations.includes('create')) throw new Blocked(`${model.name} has no create operation`);
      while (made.length < wanted) made.push(await make(model));
    } catch (error) {
      if (error instanceof Withheld) reasons.set(model.name, error);
      else if (error instanceof Skip) reasons.set(model.name, new Blocked(error.message));
      else if (error instanceof Blocked) reasons.set(model.name, error);
      else throw error;
      const telling = model.fields.filter(({ name, role }) => name === 'id' || role === 'deleted');
      for (const record of await see(model, telling))
        if (made.length < wanted && isLink(record.id) && !isDeleted(model, record)) made.push(record.id);
    }
    ids.set(model.name, made);
  }

  /** An id that is a text is understood while learning alone; what links to it would break the contract. */
  function isLink(id: unknown): id is Id {
    return oneEach ? isId(id) : Number.isSafeInteger(id);
  }
}
