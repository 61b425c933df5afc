/** A response, as far as a script looks at it. */
export type Seen = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The facts that the form of a response depends on. */
export type FormOptions = {
  /** The field that the failure is about; undefined for all fields. */
  readonly field?: string | undefined;
  /** The models that fields link to, by the name of the field. */
  readonly links: Readonly<Record<string, readonly string[]>>;
  /** The created records by name. */
  readonly records: Readonly<Record<string, { readonly model: string; readonly id: unknown }>>;
  /** The text that makes the values of a run unique. */
  readonly tag: string;
  /** When the requests are sent, in milliseconds. */
  readonly time: number;
};

/**
 * Returns a function that leaves out of a response what differs between two runs: IDs, the current time, and the values
 * of records that the script did not create. Scripts contain the text of this function, so it uses nothing outside.
 */
export function createForm({ field, links, records, tag, time }: FormOptions) {
  type Members = Readonly<Record<string, unknown>>;
  // If two records have one ID, it means the first one.
  const named = Object.entries(records).toReversed();
  const names = new Map(named.map(([name, { id, model }]) => [`${model} ${id}`, name]));
  const others = new Map<unknown, number>();
  const lineIds: unknown[] = [];

  return ({ body, headers, status }: Seen, model: string, path: string): unknown => {
    if (status >= 400) return [status];
    const value = parse(body);
    const total = Object.entries(headers).find(([name]) => /total|count/i.test(name))?.[1];
    // A list is complete if it is shorter than a limit in the query.
    const limits = path.match(/=\d+/g)?.map((limit) => Number(limit.slice(1))) ?? [Number.POSITIVE_INFINITY];
    const isWhole = Array.isArray(value) && value.length > 0 && limits.some((limit) => limit > value.length);
    const rest = isWhole && total !== undefined ? Number(total) - value.length : null;
    return [status, rest, value === undefined ? 'not JSON' : bodyForm(value)];

    function bodyForm(one: unknown): unknown {
      if (Array.isArray(one)) return one.some(isRecord) ? listForm(one) : one.map(bodyForm);
      if (isRecord(one)) return recordForm(one);
      if (one === null || typeof one !== 'object') return textForm(one);
      const lists = Object.values(one).filter((item) => Array.isArray(item) && item.some(isRecord));
      return Object.entries(one).map(([name, member]) => {
        // A number next to the records can be their total.
        const isTotal = lists.length === 1 && typeof member === 'number';
        return [name, isTotal ? member - lists[0].length : bodyForm(member)];
      });
    }

    /** Records of others count only by their shape and order, because the service can have others now. */
    function listForm(list: readonly unknown[]): unknown {
      const isOwn = (one: unknown) => isRecord(one) && names.has(`${model} ${one.id}`);
      const foreign = list.filter((one) => !isOwn(one));
      const ids = foreign.map((one) => (isRecord(one) ? one.id : null));
      for (const id of ids) if (!others.has(id)) others.set(id, others.size);
      const steps = ids.slice(1).map((id, index) => Math.sign(Number(id) - Number(ids[index])));
      const isPage = path.includes('?') && list.length <= 3;
      return {
        own: list.filter(isRecord).filter(isOwn).map(recordForm),
        order: isPage ? ids.map((id) => others.get(id)) : [...new Set(steps)].toSorted(),
        repeats: new Set(ids).size < ids.length,
        shapes: [...new Set(foreign.map((one) => JSON.stringify(shapeOf(one))))].toSorted(),
      };
    }

    function recordForm(one: Members): unknown {
      const name = names.get(`${model} ${one.id}`);
      if (name === undefined) return ['other', shapeOf(one)];
      return [typeof one.id, name, ...membersOf(one).map((key) => [key, memberForm(one[key], key)])];
    }
  };

  function memberForm(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((item) => memberForm(item, key));
    if (value !== null && typeof value === 'object')
      return Object.entries(value)
        .toSorted()
        .map(([name, member]) => [name, name === 'id' ? lineForm(member) : memberForm(member, name)]);
    const record = links[key]?.map((to) => names.get(`${to} ${value}`)).find(Boolean);
    return record ?? textForm(value);
  }

  /** The ID of a line counts only by its type, and by the lines that have the same one. */
  function lineForm(id: unknown): unknown {
    lineIds.push(id);
    return [typeof id, id === null ? null : lineIds.indexOf(id)];
  }

  function textForm(value: unknown): unknown {
    if (typeof value !== 'string') return value;
    if (/^\d{4}-\d\d-\d\d/.test(value) && Math.abs(Date.parse(value) - time) < 86_400_000) return 'now';
    return tag === '' ? value : value.replaceAll(tag, '*');
  }

  function shapeOf(value: unknown): unknown {
    if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
    if (Array.isArray(value)) return 'list';
    const members: Members = { ...value };
    return [typeof members.id, ...membersOf(members).map((key) => [key, shapeOf(members[key])])];
  }

  /** The members of a record that the failure is about. */
  function membersOf(one: Members): string[] {
    const keys = Object.keys(one).filter((key) => key !== 'id');
    return keys.filter((key) => field === undefined || key === field).toSorted();
  }

  function isRecord(one: unknown): one is Members {
    return one !== null && typeof one === 'object' && !Array.isArray(one) && 'id' in one;
  }

  function parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}
