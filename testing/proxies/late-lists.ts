import type { Meddle } from './recording-proxy.ts';

type Listed = { readonly id: number };

/** Lists come from a replica: some milliseconds after a write, they still show the record before it. */
export function lateLists(late: number): Meddle {
  /** By record, such as `brand/7`, the time of its last write, and the record before, which a new one does not have. */
  const written = new Map<string, { readonly at: number; readonly before: Listed | undefined }>();
  const pending = (record: string) => {
    const last = written.get(record);
    return last && Date.now() - last.at < late ? last : undefined;
  };
  return async (asked, _, { perform }) => {
    const [, model, id] = /^\/api\/model\/(\w+)(?:\/(\d+))?(?:\?|$)/.exec(asked.path) ?? [];
    const isRead = asked.method === 'GET';
    const before = !isRead && id ? await perform({ ...asked, method: 'GET', body: '' }) : undefined;
    const reply = await perform(asked);
    if (reply.status >= 300 || (isRead && id)) return reply;
    const shown = JSON.parse(reply.body);
    if (isRead) {
      const old = (row: Listed) => {
        const last = pending(`${model}/${row.id}`);
        return last ? (last.before ?? []) : row;
      };
      return { ...reply, body: Array.isArray(shown) ? shown.flatMap(old) : shown };
    }
    const record = `${model}/${id ?? shown.id}`;
    const known = before && before.status < 300 ? JSON.parse(before.body) : undefined;
    const last = pending(record);
    written.set(record, { at: Date.now(), before: last ? last.before : known });
    return reply;
  };
}
