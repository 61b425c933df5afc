import { expect, test } from 'vitest';
import { check, idsAgainst } from '../../testing/checks.ts';
import { checkMock } from '../../testing/mock-service.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { useForeignService } from '../../testing/use-foreign-service.ts';

const { start: startForeign } = useForeignService();

/** Several cases share a record. No case may hide a defect from another case, or cause a failure of it. */
async function failures(model: string, rules: readonly string[], defect: Partial<Defect>): Promise<string[]> {
  const { url } = await startForeign(defect);
  const results = await check(url, { models: [model], rules, looks: [0] });
  return idsAgainst(results);
}

test('invalid updates are not sent to an order that rejects updates after a change of its status', async () => {
  const moved = new Set<unknown>();
  const rules = ['fields.wrong-type-on-update', 'profile.request.update'];
  const found = await failures('stockOrder', rules, {
    refuses: ({ before, id, on, sent = {} }) => {
      if (on !== 'update') return false;
      const isFinal = moved.has(id);
      if ('status' in sent && sent.status !== before?.status) moved.add(id);
      return isFinal;
    },
    forgives: ({ field, kind, on }) => on === 'update' && kind === 'type' && field.name === 'deliveryDate',
  });
  expect(found).toEqual(['fields.wrong-type-on-update:stockOrder.deliveryDate']);
});

test('an update that clears unnamed fields fails, even if the first update changes a status', async () => {
  const found = await failures('stockOrder', ['profile.request.update'], {
    values: (values, { model, on }) => {
      if (on !== 'update' || model.name !== 'stockOrder') return values;
      const optional = model.fields.filter((field) => !field.readonly && !field.required && !field.lines);
      return { ...Object.fromEntries(optional.map(({ name }) => [name, null])), ...values };
    },
  });
  expect(found).toEqual(['profile.request.update:stockOrder']);
});

test('a service fails if a list shows a new record only when read again', async () => {
  const known = new Map<string, Record<string, unknown>[]>();
  const found = await failures('brand', ['list'], {
    listed: (rows, { model }) => {
      const before = known.get(model.name) ?? rows;
      known.set(model.name, rows);
      return before;
    },
  });
  expect(found).toEqual(['list.shows-record:brand', 'list.shows-update:brand']);
});

const withLink = (rows: Record<string, unknown>[]) =>
  rows.filter(({ customer }) => (customer ?? null) !== null);

test.each<[string, Partial<Defect>]>([
  ['a list', { listed: (rows, { model }) => (model.name === 'ecommerceOrder' ? withLink(rows) : rows) }],
  // The total counts them, and the next page repeats others.
  ['a page', { page: (rows) => ('shippingAddress' in (rows[0] ?? {}) ? withLink(rows) : rows) }],
])('a service fails if %s omits records without a link', async (_, defect) => {
  const found = await failures('ecommerceOrder', ['list.shows-record'], defect);
  expect(found).toEqual(['list.shows-record:ecommerceOrder']);
});

test('pages of a list whose order changes with each request fail', async () => {
  let lists = 0;
  const listed: Defect['listed'] = (rows) => {
    const at = ++lists % Math.max(1, rows.length);
    return [...rows.slice(at), ...rows.slice(0, at)];
  };
  expect(await failures('brand', ['profile.pages'], { listed })).toEqual(['profile.pages:brand']);
});

test('a cached list that does not show an update fails', async () => {
  const results = await checkMock({ models: ['brand'], rules: ['list'] }, (answer) => {
    let cached: ReturnType<typeof answer> | undefined;
    return (request, sent) => {
      const isOfAll = request.url?.endsWith('/brand');
      if (!isOfAll || request.method !== 'GET') {
        if (isOfAll) cached = undefined;
        return answer(request, sent);
      }
      cached ??= answer(request, sent);
      return cached;
    };
  });
  expect(idsAgainst(results)).toContain('list.shows-update:brand');
});

type Line = Readonly<Record<string, unknown>>;

test.each<[string, (line: Line) => Line, string]>([
  ['wrong line IDs', (line) => ({ ...line, id: Number(line.id) + 1e6 }), 'fields.id:stockOrder.id'],
  ['no parent', (line) => ({ ...line, stockOrder: null }), 'required.present:stockOrder.lines'],
])('a service that shows %s in lines fails', async (_, change, id) => {
  const found = await failures('stockOrder', ['fields.id', 'required.present'], {
    shown: (row) => (Array.isArray(row.lines) ? { ...row, lines: row.lines.map(change) } : row),
  });
  expect(found).toEqual([id]);
});
