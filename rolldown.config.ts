import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

type Manifest = Readonly<Record<'bin' | 'exports' | 'peerDependencies', Readonly<Record<string, unknown>>>>;

const { bin, exports, peerDependencies }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));

const entered = [...Object.values(bin), ...Object.values(exports).map((one) => Object(one).default)];
const entries = entered.flatMap((path) => /dist\/(.+)\.js$/.exec(String(path))?.[1] ?? []);

/**
 * The package and all that it needs in a few files, but the tools that it plugs into: to find and read a thousand took
 * most of a start, and an install brought 164 packages, one of which reports it.
 */
export default defineConfig({
  input: Object.fromEntries(entries.map((name) => [name, `${name}.ts`])),
  platform: 'node',
  external: Object.keys(peerDependencies).map((name) => new RegExp(`^${name}(/|$)`)),
  resolve: {
    alias: {
      // Its other build asks for its files at run time.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      // Node's own is deprecated, and says so.
      punycode: resolve('node_modules/punycode/punycode.es6.js'),
    },
  },
  // LICENSES.txt has the license notices that comments contain.
  output: { comments: false, dir: 'dist', chunkFileNames: 'chunks/[name]-[hash].js' },
  plugins: [
    bundleRequired(),
    exportTemplates(),
    callDirectly(),
    pickFromLodash(),
    pickFromNode(),
    writeLicenses(),
  ],
});

/** What the code requires when it first needs it is bundled too. */
function bundleRequired(): Plugin {
  return {
    name: 'required',
    transform: {
      filter: { id: /\.ts$/, code: /^const require = createRequire/m },
      handler: (code) => code.replace(/^const require = createRequire.*$/m, ''),
    },
  };
}

/** What it exports it writes to `this`, which nobody else does and rolldown does not know. */
function exportTemplates(): Plugin {
  return {
    name: 'uri-template-lite',
    transform: {
      filter: { id: /uri-template-lite/ },
      handler: (code) => code.replaceAll('this.URI', 'exports.URI'),
    },
  };
}

/** Prism's functions go through this one ten times a request, and a third of that time is the list of its arguments. */
function callDirectly(): Plugin {
  return {
    name: 'fp-ts',
    transform: {
      filter: { id: /fp-ts\/(lib|es6)\/function\.js$/ },
      handler: (code) =>
        code.replace(
          /return function \(\) \{\s*var args = Array\.from\(arguments\);\s*if \(isDataFirst\(arguments\)\)/,
          'return function (...args) {\nif (isDataFirst(args))',
        ),
    },
  };
}

/** Prism's core takes two functions of lodash, and all of it would be read at each start. */
function pickFromLodash(): Plugin {
  return {
    name: 'lodash',
    transform: {
      filter: { id: /@stoplight\/prism-core/ },
      handler: (code) =>
        code.replace(/^const (\w+) = require\("lodash"\);$/gm, (_, name: string) => {
          const used = new Set(code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g')).map(([, one]) => one));
          return `const ${name} = { ${[...used].map((one) => `${one}: require("lodash/${one}")`).join(', ')} };`;
        }),
    },
  };
}

/**
 * An `import` of one of Node's own modules reads all that this exports, which loads a good part of Node at each start.
 * What is picked from it by name is all that is read.
 */
function pickFromNode(): Plugin {
  return {
    name: 'node',
    renderChunk: (code) =>
      code.replace(/^import (?:\* as )?([^"]+?) from ("node:[^"]+");$/gm, (_, names: string, module) => {
        const [all, first, rest] = /^([\w$]*)(?:, )?(\{.*\})?$/.exec(names) ?? [];
        if (all === undefined)
          throw new Error(`import ${names} from ${module}; expected names that can be picked`);
        return [first, rest?.replaceAll(' as ', ': ')]
          .flatMap((name) => (name ? `const ${name} = globalThis.process.getBuiltinModule(${module});` : []))
          .join('\n');
      }),
  };
}

/** Writes the licenses of the bundled packages to `LICENSES.txt`, because the licenses require it. */
function writeLicenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
      const folders = new Set(
        modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
      );
      const source = [...folders].sort().map(readLicense).join('\n\n');
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source });
    },
  };
}

function readLicense(folder: string): string {
  const { license, licenses, name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // Old packages have a list.
  const by = license ?? licenses.map(({ type }: { type: string }) => type).join(' OR ');
  const [file] = globSync('{LICEN[SC]E,licen[sc]e}*', { cwd: folder });
  return `${name} ${version} (${by})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}`;
}
