/** The part of json-server 0.17 that is used; it comes without types. */
declare module 'json-server' {
  import type { RequestHandler, Response, Router } from 'express';

  type Row = Record<string, unknown>;
  type Chain<T> = { value(): T };
  type Collection = Chain<Row[]> & {
    getById(id: number): Chain<Row | undefined>;
    insert(row: Row): Chain<Row>;
    updateById(id: number, patch: Row): Chain<Row>;
    removeById(id: number): Chain<Row>;
  };
  type JsonRouter = Router & {
    readonly db: { get(name: string): Collection };
    render: (request: unknown, response: Response) => void;
  };
  const jsonServer: {
    create(): import('express').Express;
    defaults(options: {
      readonly logger: boolean;
      readonly noGzip: boolean;
      readonly static: string;
    }): RequestHandler[];
    router(data: Record<string, Row[]>): JsonRouter;
    readonly bodyParser: RequestHandler[];
  };
  export default jsonServer;
}
