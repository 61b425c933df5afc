import type { Asked } from './mocks.ts';

/** A line as it is sent. */
export const line = { product: 1, grossUnitCost: 10, amount: 3, discount: 50 };

/** An order with two lines, as it is sent. */
export const order = {
  globalDiscount: 10,
  status: 0,
  lines: [line, { ...line, product: 2, discount: 0, amount: 2 }],
};

/** The members of the record at a path, and the status of the answer. */
export async function read({ ask }: Asked, path: string): Promise<Record<string, unknown>> {
  const { status, body } = await ask('GET', path);
  return { status, ...(body as object) };
}

/** The ids of the lines of the record at a path, or of the records in the list there. */
export async function idsIn(asked: Asked, path: string): Promise<unknown[]> {
  const lines = path.includes('/', 1) ? (await read(asked, path)).lines : (await asked.ask('GET', path)).body;
  return (lines as { id: number }[]).map(({ id }) => id);
}
