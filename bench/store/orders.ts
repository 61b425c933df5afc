/** The writes of several clients to stock orders and their lines, and the expected records. */

type StoredOrder = { readonly id: number; readonly comments: string | null; readonly deleted?: boolean };
export type StoredOrders = {
  readonly stockOrder?: readonly StoredOrder[];
  readonly stockOrderLine?: readonly {
    readonly id: number;
    readonly stockOrder: number;
    readonly product: number;
    readonly deleted?: boolean;
  }[];
};
export type AnsweredOrder = { readonly id: number; readonly lines: readonly { readonly id: number }[] };

/** A write, with the state of the order after it, and its ID if it is not new. */
type Write = { readonly state: string; readonly id?: number | undefined; readonly body?: object };

export type Orders = ReturnType<typeof createOrders>;

const DELETED = 'deleted';

export function createOrders() {
  let [writes, acknowledged] = [0, 0];
  /** The states that each order can have. While a write is under way, there are two. */
  const states = new Map<number, readonly string[]>();
  const given = new Set<string>();
  const problems: string[] = [];
  return {
    /** Orders that can be changed, by ID. */
    get ids(): readonly number[] {
      return [...states].flatMap(([id, all]) => (all.length > 1 || all[0] === DELETED ? [] : [id]));
    },
    get acknowledged(): number {
      return acknowledged;
    },
    /** Notes a write before it is sent: with its lines, or a delete. Without an ID, the order is new. */
    begin: (lines: number | 'none', id?: number): Write => {
      const write = ++writes;
      const state = lines === 'none' ? DELETED : `write ${write} with ${lines} lines`;
      if (id !== undefined) states.set(id, [...(states.get(id) ?? []), state]);
      return lines === 'none' ? { state, id } : { state, id, body: bodyOf(state, write, lines) };
    },
    /** Notes the response. */
    end: (write: Write, { id, lines }: AnsweredOrder) => {
      acknowledged += 1;
      if (write.id === undefined) note(`order ${id}`);
      if (write.state !== DELETED) for (const line of lines) note(`line ${line.id}`);
      states.set(id, [write.state]);
    },
    compare,
  };

  function note(name: string): void {
    if (given.has(name)) problems.push(`${name} was given twice`);
    given.add(name);
  }

  /** Returns one line for each difference to the found records, which are then the expected ones. */
  function compare({ stockOrder = [], stockOrderLine = [] }: StoredOrders): string[] {
    const lines = Map.groupBy(stockOrderLine, (line) => line.stockOrder);
    const found = new Map(stockOrder.map((order) => [order.id, stateOf(order)]));
    for (const id of lines.keys())
      if (!found.has(id)) problems.push(`order ${id} has lines and is not there`);
    for (const [id, expected] of states) {
      const state = found.get(id);
      if (state === undefined) problems.push(`order ${id} was acknowledged, and is not there`);
      else if (!expected.includes(state))
        problems.push(`order ${id} is "${state}"; expected "${expected.join('" or "')}"`);
    }
    for (const [id, state] of found) {
      // The product of a line is the number of the write.
      const [, write, count = '0'] = /^write (\d+) with (\d+) lines$/.exec(state) ?? [];
      const own = (lines.get(id) ?? []).filter((line) => line.deleted !== true);
      if (own.length !== Number(count))
        problems.push(`order ${id} has ${own.length} lines; expected ${count}`);
      if (own.some(({ product }) => product !== Number(write)))
        problems.push(`order ${id} has lines of another write`);
      states.set(id, [state]);
    }
    // Writes that were stored and not acknowledged use IDs, too.
    for (const { id } of stockOrder) given.add(`order ${id}`);
    for (const { id } of stockOrderLine) given.add(`line ${id}`);
    return problems.splice(0);
  }
}

function bodyOf(comments: string, product: number, lines: number): object {
  const line = { product, grossUnitCost: 5, amount: 1, discount: 0 };
  return { globalDiscount: 0, status: 0, comments, lines: Array.from({ length: lines }, () => line) };
}

function stateOf({ comments, deleted }: StoredOrder): string {
  return deleted ? DELETED : String(comments);
}
