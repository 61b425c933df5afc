import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { isDeleted } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll, refuseMistakes, unexpected } from '../../spec/files/usage-error.ts';
import { readYaml, readYamlFile } from '../../spec/files/yaml-file.ts';
import type { References } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { findRecords, isAccepted } from '../api/answer.ts';
import { createApi, type ModelApi } from '../api/api.ts';
import { createWireCheck } from '../assert/wire-check.ts';
import type { Target } from '../target/target.ts';

/** IDs of existing records, per model or per name of a thing outside the catalogue; or a query such as `?active=true`. */
export type Bindings = ReadonlyMap<string, readonly number[] | string>;

/** Bindings whose queries were sent. */
export type BoundIds = ReadonlyMap<string, readonly number[]>;

/** Maximum number of IDs that a query gives. No record links to more records of one model. */
const MOST_BOUND = 5;

/**
 * Reads a file such as `product: [101, 102]`, or an object with the same. Throws UsageError if no field links to a name,
 * or a name has no IDs.
 */
export function loadBindings(
  given: string | Readonly<Record<string, readonly number[] | string>>,
  catalogue: Catalogue,
  references: References,
): Bindings {
  const file = typeof given === 'string' ? readYamlFile(given) : readYaml(JSON.stringify(given), 'bindings');
  const outside = [...references.values()].flatMap((reference) =>
    'outside' in reference ? [reference.outside] : [],
  );
  const known = [...new Set([...outside, ...catalogue.models.keys()])];
  const bindings = new Map(
    readAll(file.entries(), ([key, list]): [string, readonly number[] | string] => {
      const name = String(key);
      if (!known.includes(name)) list.fail(unexpected('name', name, known));
      if (typeof list.value === 'string' && list.value.startsWith('?')) {
        if (!catalogue.models.get(name)?.operations.includes('list'))
          list.fail(`${name} has no list that a query can search. Use IDs, such as ${name}: [101, 102].`);
        return [name, list.value];
      }
      const ids = list.items().map(({ value }) => value);
      if (ids.length === 0 || !ids.every(Number.isSafeInteger))
        list.fail(
          `The IDs of ${name} must be whole numbers, two if possible, but are ${JSON.stringify(ids)}.`,
        );
      return [name, ids as number[]];
    }),
  );
  checkShape(file, 'bindings');
  return bindings;
}

/**
 * Sends the queries, and returns the IDs of the first records that the service lists for each. Throws UsageError that
 * names each query without a record.
 */
export async function findBound(bindings: Bindings, plan: Contract, target: Target): Promise<BoundIds> {
  const api = createApi({ target, catalogue: plan.catalogue, profile: () => plan.profile });
  const found = new Map<string, readonly number[]>();
  const mistakes: string[] = [];
  for (const [name, bound] of bindings) {
    const model = plan.catalogue.models.get(name);
    if (typeof bound !== 'string') found.set(name, bound);
    else if (model) {
      const filter = Object.fromEntries(new URLSearchParams(bound));
      const ids = await idsOf(model, filter, plan, api);
      found.set(name, ids);
      if (ids.length === 0)
        mistakes.push(
          `The service lists no ${name} for the binding "${bound}". Create such a record, correct the query, or bind IDs, such as ${name}: [101, 102].`,
        );
    }
  }
  refuseMistakes(mistakes);
  return found;
}

/** Returns the IDs on the first page of a list, from any place in the response, because `learn` might not know it yet. */
async function idsOf(
  model: Model,
  filter: Readonly<Record<string, string>>,
  plan: Contract,
  api: ModelApi,
): Promise<readonly number[]> {
  const answer = await api.list(model.name, filter);
  const records =
    (isAccepted(answer) && (api.recordsIn(answer) ?? findRecords(model, answer.json)?.value)) || [];
  const check = createWireCheck(plan);
  return records
    .filter((record) => hasValues(record, filter) && !isDeleted(model, check.read(model, record)))
    .map(({ id }) => id)
    .filter((id): id is number => Number.isSafeInteger(id))
    .slice(0, MOST_BOUND);
}

/** Whether a record has the values of the query, as far as it shows them. A service might ignore the query. */
function hasValues(record: RecordValues, filter: Readonly<Record<string, string>>): boolean {
  return Object.entries(filter).every(
    ([name, value]) => !Object.hasOwn(record, name) || String(record[name]) === value,
  );
}
