import { afterEach } from 'vitest';

/** Returns a function that notes something to close after the test. The last one noted closes first. */
export function useClosing(): <One extends { close(): unknown }>(one: One) => One {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  return (one) => {
    open.push(one);
    return one;
  };
}
