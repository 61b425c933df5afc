import type { Ask } from './rows.ts';
import { longStatement, SCHEMA } from './schema.ts';

/** In a transaction: creates missing parts, and copies parts that other spaces use. */
export function createOwner(ask: Ask, space: string): (models: readonly string[]) => Promise<void> {
  const owned = new Set<string>();
  return async (models) => {
    const wanted = models.filter((model) => !owned.has(model));
    if (wanted.length === 0) return;
    const text = `select p.model, p.part, p.owned,
        exists (select from ${SCHEMA}.part o where o.part = p.part and o.space <> p.space) as shared
      from ${SCHEMA}.part p where p.space = $1 and p.model = any ($2)`;
    const { rows } = await ask({ name: 'parts', text, values: [space, wanted] });
    for (const model of wanted) {
      const part = rows.find((row) => row.model === model);
      if (!part) await make(model);
      else if (part.owned !== true && part.shared === true) await copy(model, part.part);
      else if (part.owned !== true) await take(model);
      owned.add(model);
    }
  };

  async function make(model: string): Promise<void> {
    const text = `insert into ${SCHEMA}.part (space, model, part, owned)
      values ($1, $2, nextval('${SCHEMA}.part_ids'), true)`;
    await ask({ name: 'make-part', text, values: [space, model] });
  }

  async function take(model: string): Promise<void> {
    const text = `update ${SCHEMA}.part set owned = true where space = $1 and model = $2`;
    await ask({ name: 'take-part', text, values: [space, model] });
  }

  async function copy(model: string, part: unknown): Promise<void> {
    const text = `with made as (
        update ${SCHEMA}.part set part = nextval('${SCHEMA}.part_ids'), owned = true
        where space = $1 and model = $2 returning part
      )
      insert into ${SCHEMA}.record (part, id, deleted, owner, data)
      select made.part, id, deleted, owner, data from ${SCHEMA}.record old, made where old.part = $3`;
    await ask({ name: 'copy-part', ...longStatement(text, [space, model, part]) });
  }
}
