/** A request to a server. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** How a server is asked. */
export type Paths = {
  readonly collection: string;
  /** The query of a list of 20. */
  readonly list: string;
  /** The query of a page of 20 of a tenth of the records, sorted by name the other way round. */
  readonly page: string;
  readonly update: 'POST' | 'PUT';
};

const collection = '/api/model/warehouse';

export const PLAIN: Paths = {
  collection,
  list: 'limit=20',
  page: 'comments=s7&sort=-name&limit=20',
  update: 'POST',
};

export const COLUMNS = ['retrieve', 'list of 20', 'filtered, sorted', 'create', 'update', 'delete'] as const;
export type Column = (typeof COLUMNS)[number];

/** The next request of a column; a delete takes one of the ids, each of them once. */
export function requestsOf(column: Column, paths: Paths, ids: readonly unknown[]): () => Asked {
  const { collection, list, page, update } = paths;
  const body = {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Central', comments: 'left' }),
  };
  const left = [...ids];
  switch (column) {
    case 'retrieve':
      return () => ({ method: 'GET', path: `${collection}/7` });
    case 'list of 20':
      return () => ({ method: 'GET', path: `${collection}?${list}` });
    case 'filtered, sorted':
      return () => ({ method: 'GET', path: `${collection}?${page}` });
    case 'create':
      return () => ({ method: 'POST', path: collection, ...body });
    case 'update':
      return () => ({ method: update, path: `${collection}/7`, ...body });
    case 'delete':
      return () => ({ method: 'DELETE', path: `${collection}/${left.pop()}` });
  }
}
