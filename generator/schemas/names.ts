import { schemaName } from '../../spec/binding.ts';
import type { Field } from '../../spec/catalogue/field.ts';

/** The schema of a line as sent inside its parent: `StockOrderLineInStockOrder`. */
export function lineName(line: string, parent: string): string {
  return `${schemaName(line)}In${schemaName(parent)}`;
}

/**
 * The schema of a value list: `stockOrder.status` → `StockOrderStatus`. A select such as `voucher.type` may meet
 * a model `voucherType`; the list then gives way, because models are named by the interface.
 */
export function choicesName(field: Field, models: ReadonlyMap<string, unknown>): string {
  const [model = '', name = ''] = field.type === 'fkModel' ? ['fkModel'] : field.key.split('.');
  const joined = model + schemaName(name);
  return models.has(joined) ? `${schemaName(joined)}Value` : schemaName(joined);
}

/**
 * Identifiers for the names of a value list, such as `ParcialmenteRecibido`: ASCII, a letter first, each once,
 * so that code generators can use them in any language.
 */
export function identifiers(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const words = name
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .split(/[^A-Za-z0-9]+/);
    const pascal = words.map((word) => schemaName(word)).join('');
    const stem = /^[A-Za-z]/.test(pascal) ? pascal : `Value${pascal}`;
    let free = stem;
    for (let number = 2; taken.has(free); number++) free = `${stem}_${number}`;
    taken.add(free);
    return free;
  });
}
