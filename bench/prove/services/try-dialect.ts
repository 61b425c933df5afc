/** Tries one dialect of the plain service, and sends the row to the parent process: `node try-dialect.ts OPTIONS`. */
import { proveServices } from './services.ts';

const [row] = await proveServices({
  ...JSON.parse(process.argv[2] ?? '{}'),
  names: [],
  dialects: 1,
  say: () => {},
});
process.send?.(row);
