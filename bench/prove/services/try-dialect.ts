/** Tries one dialect of the plain service, in a process of its own: `node try-dialect.ts OPTIONS`. Sends the row to its parent. */
import { proveServices } from './services.ts';

const [row] = await proveServices({
  ...JSON.parse(process.argv[2] ?? '{}'),
  names: [],
  dialects: 1,
  say: () => {},
});
process.send?.(row);
