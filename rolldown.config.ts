import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

type Manifest = Readonly<Record<'bin' | 'exports' | 'peerDependencies', Readonly<Record<string, unknown>>>>;

const { bin, exports, peerDependencies }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** `package-files.ts` generates it. */
const { './meta': _, ...bundled } = exports;
const entered = [...Object.values(bin), ...Object.values(bundled).map((one) => Object(one).default)];
const entries = entered.flatMap((path) => /dist\/(.+)\.js$/.exec(String(path))?.[1] ?? []);

/**
 * The package and all that it needs in a few files, but the tools that it plugs into: to find and read a thousand took
 * most of a start, and an install brought 164 packages, one of which reports it.
 */
export default defineConfig({
  input: Object.fromEntries(entries.map((name) => [name, `${name}.ts`])),
  platform: 'node',
  // The oldest version in `engines` has no `await using`.
  transform: { target: 'node22' },
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
    listPackages(),
  ],
});

/** Bundles modules that the code requires on their first use. */
function bundleRequired(): Plugin {
  return {
    name: 'required',
    transform: {
      filter: { id: /\.ts$/, code: /^const require = createRequire/m },
      handler: (code) => code.replace(/^const require = createRequire.*$/m, ''),
    },
  };
}

/** This module writes its exports to `this`, which rolldown does not support. */
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
 * The code reads only the names that it picks from it.
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

/** The package in the pages of `web/`, which Vite bundles. */
const IN_WEB = 'node_modules/preact';

/** Lists the bundled packages: their licenses for people, and a bill of materials (CycloneDX) for scanners. */
function listPackages(): Plugin {
  return {
    name: 'packages',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
      const folders = new Set(
        modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
      );
      const packages = [...folders, resolve(IN_WEB)].sort().map(readPackage);
      const licenses = packages.map(
        ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}`,
      );
      // Its files are copied, and not bundled.
      const copied = readPackage(resolve('node_modules/swagger-ui-dist'));
      const materials = JSON.stringify(describeMaterials([...packages, copied]), null, 2);
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: licenses.join('\n\n') });
      this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source: `${materials}\n` });
    },
  };
}

type Package = Readonly<Record<'name' | 'version' | 'license' | 'text', string>>;

function readPackage(folder: string): Package {
  const { license, licenses, name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [file] = globSync('{LICEN[SC]E,licen[sc]e}*', { cwd: folder });
  return {
    name,
    version,
    // Old packages have a list.
    license: license ?? licenses.map(({ type }: { type: string }) => type).join(' OR '),
    text: file ? readFileSync(join(folder, file), 'utf8').trim() : '',
  };
}

/** A bill of materials (CycloneDX 1.6), without the time, so that each build gives the same. */
function describeMaterials(packages: readonly Package[]): object {
  const urlOf = ({ name, version }: Pick<Package, 'name' | 'version'>) =>
    `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const describe = (one: Pick<Package, 'name' | 'version'>) => {
    const url = urlOf(one);
    return { type: 'library', 'bom-ref': url, name: one.name, version: one.version, purl: url };
  };
  const own: Package = JSON.parse(readFileSync('package.json', 'utf8'));
  const components = packages.map((one) => ({ ...describe(one), licenses: [{ expression: one.license }] }));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...describe(own), type: 'application' } },
    components,
    dependencies: [{ ref: urlOf(own), dependsOn: packages.map(urlOf) }],
  };
}
