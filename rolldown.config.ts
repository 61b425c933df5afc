import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

type Manifest = Readonly<
  Record<'bin' | 'dependencies' | 'exports' | 'peerDependencies', Readonly<Record<string, unknown>>>
>;

const { bin, dependencies, exports, peerDependencies }: Manifest = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

/** What every start needs, from packages of many files. Who installs the kit has them beside it too, for Prism. */
const BUNDLED = ['@stoplight/prism-core', 'ajv', 'ajv-formats', 'commander', 'leven', 'qs'];

const entered = [...Object.values(bin), ...Object.values(exports).map((one) => Object(one).default)];
const entries = entered.flatMap((path) => /dist\/(.+)\.js$/.exec(String(path))?.[1] ?? []);
const beside = [...Object.keys(dependencies), ...Object.keys(peerDependencies)].filter(
  (name) => !BUNDLED.includes(name),
);

/** The code of the package in a few files: to find and read a thousand took most of a start. */
export default defineConfig({
  input: Object.fromEntries(entries.map((name) => [name, `${name}.ts`])),
  platform: 'node',
  external: beside.map((name) => new RegExp(`^${name}(/|$)`)),
  output: { dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js' },
  plugins: [writeLicences()],
});

/** Writes the licences of what is bundled to `LICENCES.txt`, as they ask for. */
function writeLicences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
      const folders = new Set(
        modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
      );
      const source = [...folders].sort().map(readLicence).join('\n\n');
      this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source });
    },
  };
}

function readLicence(folder: string): string {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [file] = globSync('{LICEN[SC]E,licen[sc]e}*', { cwd: folder });
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}`;
}
