/** The writes of one client to stock orders and their lines, and the expected records. */

export type StoredOrder = {
  readonly id: number;
  readonly comments: string | null;
  readonly deleted?: boolean;
};
export type StoredLine = {
  readonly id: number;
  readonly stockOrder: number;
  readonly product: number;
  readonly deleted?: boolean;
};
export type StoredOrders = {
  readonly stockOrder?: readonly StoredOrder[];
  readonly stockOrderLine?: readonly StoredLine[];
};
export type AnsweredOrder = { readonly id: number; readonly lines: readonly { readonly id: number }[] };

/** An order after a write. Its mark has the number of its lines, and each line has the number of the write. */
type Shape = 'deleted' | { readonly write: number; readonly lines: number };
type Known = { acknowledged: Shape | undefined; pending: Shape | undefined };

export type Orders = ReturnType<typeof createOrders>;

export function createOrders() {
  let writes = 0;
  let acknowledged = 0;
  const known = new Map<number, Known>();
  /** Writes under way. */
  const open = new Map<object, { readonly id: number | undefined; readonly shape: Shape }>();
  const given = { order: new Set<number>(), line: new Set<number>() };
  const problems: string[] = [];
  return {
    /** Orders that can be changed, by id. */
    get ids(): readonly number[] {
      return [...known].flatMap(([id, one]) => (one.pending || one.acknowledged === 'deleted' ? [] : [id]));
    },
    get acknowledged(): number {
      return acknowledged;
    },
    /** Notes a write before it is sent; of an order that there is when it has an id. */
    begin: (lines: number | 'none', id?: number) => {
      const write = ++writes;
      const shape: Shape = lines === 'none' ? 'deleted' : { write, lines };
      const key: object = {};
      open.set(key, { id, shape });
      const one = id === undefined ? undefined : known.get(id);
      if (one) one.pending = shape;
      return { key, body: shape === 'deleted' ? undefined : bodyOf(shape) };
    },
    /** Notes the answer to it. */
    end: (key: object, { id, lines }: AnsweredOrder) => {
      const ended = open.get(key);
      if (!ended) return;
      open.delete(key);
      acknowledged += 1;
      if (ended.id === undefined) note('order', id);
      if (ended.shape !== 'deleted') for (const line of lines) note('line', line.id);
      known.set(id, { acknowledged: ended.shape, pending: undefined });
    },
    compare,
  };

  function note(kind: 'order' | 'line', id: number): void {
    if (given[kind].has(id)) problems.push(`the id ${id} of ${kind}s was given twice`);
    given[kind].add(id);
  }

  /** Returns one line for each difference to the found records, which are then the expected ones. */
  function compare({ stockOrder = [], stockOrderLine = [] }: StoredOrders): string[] {
    const lines = Map.groupBy(stockOrderLine, (line) => line.stockOrder);
    const byId = new Map(stockOrder.map((order) => [order.id, order]));
    for (const id of lines.keys()) if (!byId.has(id)) problems.push(`order ${id} has lines and is not there`);
    for (const [id, one] of known)
      if (!byId.has(id)) problems.push(`order ${id} was acknowledged, and is not there`);
      else if (!isOneOf(byId.get(id), one))
        problems.push(`order ${id} is not as it was acknowledged: ${JSON.stringify([byId.get(id), one])}`);
    for (const order of stockOrder) {
      const own = (lines.get(order.id) ?? []).filter((line) => line.deleted !== true);
      const shape = shapeOf(order);
      const expected = shape === 'deleted' ? 0 : shape.lines;
      if (own.length !== expected)
        problems.push(`order ${order.id} has ${own.length} lines; expected ${expected}`);
      for (const line of own)
        if (shape !== 'deleted' && line.product !== shape.write)
          problems.push(`line ${line.id} of order ${order.id} is of another write`);
      known.set(order.id, { acknowledged: shape, pending: undefined });
    }
    // Writes that were stored and not acknowledged use IDs, too.
    for (const { id } of stockOrder) given.order.add(id);
    for (const { id } of stockOrderLine) given.line.add(id);
    open.clear();
    return problems.splice(0);
  }
}

function isOneOf(order: StoredOrder | undefined, { acknowledged, pending }: Known): boolean {
  const found = order && JSON.stringify(shapeOf(order));
  return [acknowledged, pending].some((shape) => shape !== undefined && JSON.stringify(shape) === found);
}

function bodyOf({ lines, write }: Exclude<Shape, 'deleted'>): object {
  const line = { product: write, grossUnitCost: 5, amount: 1, discount: 0 };
  const all = Array.from({ length: lines }, () => line);
  return { globalDiscount: 0, status: 0, comments: `write ${write} with ${lines} lines`, lines: all };
}

function shapeOf({ comments, deleted }: StoredOrder): Shape {
  const [, write, lines] = /^write (\d+) with (\d+) lines$/.exec(comments ?? '') ?? [];
  return deleted ? 'deleted' : { write: Number(write), lines: Number(lines) };
}
