import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { bin, dependencies, exports, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** What the package is entered by: its command and its exports. */
const entries = [
  ...Object.values<string>(bin),
  ...Object.values<{ default?: string }>(exports).map((one) => one.default),
]
  .filter((path) => path?.endsWith('.js'))
  .map((path = '') => path.replace(/^(\.\/)?dist\//, '').replace(/\.js$/, ''));

/** The code of the package in a few files: to find and read some three hundred took half of a start. */
export default defineConfig({
  input: Object.fromEntries(entries.map((name) => [name, `${name}.ts`])),
  platform: 'node',
  external: [...Object.keys(dependencies), ...Object.keys(peerDependencies)].map(
    (name) => new RegExp(`^${name}(/|$)`),
  ),
  output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js' },
});
