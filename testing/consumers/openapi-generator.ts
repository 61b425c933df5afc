import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMock } from '../../mock/mock.ts';
import { listParameterNames } from '../../spec/binding.ts';
import { headerIn, type Profile } from '../../spec/profile/profile.ts';
import type { Consumer, ConsumerTrial, Outcome } from './consumer.ts';
import { compileTypeScript, complaintsOf, hasProgram, toolPath } from './tools.ts';

/** The newest release of which an npm package brings the program itself. */
const JAR = '@openapitools/openapi-generator-cli/bin/openapi-generator.jar';
const GO_PACKAGES = '/usr/share/gocode';
const NEWTONSOFT = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll';

const BUNDLED = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'];

/** How the client of a language is made, and what becomes of it where its compiler is on the machine. */
type Language = {
  readonly generator: string;
  readonly options?: string;
  readonly done: string;
  readonly isThere: () => boolean;
  takes?(profile: Profile): boolean;
  /** Returns the errors of the client in a directory. */
  check(client: string, trial: ConsumerTrial): Promise<string[]>;
};

const LANGUAGES: Readonly<Record<string, Language>> = {
  java: {
    generator: 'java',
    options: 'library=native,dateLibrary=java8',
    done: 'compiled',
    isThere: () => hasProgram('javac', '-version'),
    // The generated code also has a variable p.
    takes: (profile) => ![...listParameterNames(profile).values()].includes('p'),
    check: compileJava,
  },
  go: {
    generator: 'go-experimental',
    // All value lists have their constants in one package.
    options: 'enumClassPrefix=true',
    done: 'compiled',
    isThere: () => hasProgram('go', 'version') && existsSync(join(GO_PACKAGES, 'src/golang.org/x/oauth2')),
    check: compileGo,
  },
  python: {
    generator: 'python',
    done: 'run against the mock',
    isThere: () => hasProgram('python3', '-c', 'import urllib3, six, certifi, dateutil'),
    check: runPython,
  },
  'C#': {
    generator: 'csharp-netcore',
    // RestSharp, which the rest wants, is no package of npm or Debian.
    done: 'models compiled',
    isThere: () => hasProgram('mcs', '--version') && existsSync(NEWTONSOFT),
    check: compileModels,
  },
  'typescript-fetch': {
    generator: 'typescript-fetch',
    options: 'typescriptThreePlus=true',
    done: 'compiled',
    isThere: () => true,
    check: (client) => compileTypeScript(client, ['index.ts'], ...BUNDLED),
  },
};

/** openapi-generator with each language; without its compiler a client is made and not compiled. */
export const GENERATED_CLIENTS: readonly Consumer[] = Object.entries(LANGUAGES).map(([name, language]) => ({
  name: `openapi-generator ${name}`,
  done: `files of a client, ${language.isThere() ? language.done : 'made, and no compiler here'}`,
  versions: ['3.0'],
  isQuick: false,
  takes: (profile) => language.takes?.(profile) ?? true,
  run: (trial) => generate(language, trial),
}));

async function generate(language: Language, trial: ConsumerTrial): Promise<Outcome> {
  const input = join(trial.directory, 'openapi.json');
  const client = join(trial.directory, 'client');
  writeFileSync(input, JSON.stringify(trial.document, withoutNullMembers));
  const options = language.options ? ['--additional-properties', language.options] : [];
  const words = ['-jar', toolPath(JAR), 'generate', '-i', input, '-g', language.generator, '-o', client];
  const faults = await complaintsOf('java', [...words, ...options]);
  if (faults.length > 0) return { count: 0, faults };
  const count = globSync('**/*.{java,go,py,cs,ts}', { cwd: client }).length;
  return { count, faults: language.isThere() ? await language.check(client, trial) : [] };
}

/**
 * A list that may be null has null among its values, as OpenAPI 3.0 wants. This release makes a member of an enum of
 * it; later ones leave it out, and so does this.
 */
function withoutNullMembers(key: string, value: unknown): unknown {
  return key === 'enum' && Array.isArray(value) ? value.filter((one) => one !== null) : value;
}

/** The generator itself holds Jackson and the annotations; of one library only the names are needed. */
function compileJava(client: string): Promise<string[]> {
  const folder = join(client, 'org/openapitools/jackson/nullable');
  mkdirSync(folder, { recursive: true });
  const head = 'package org.openapitools.jackson.nullable; public class';
  writeFileSync(
    join(folder, 'JsonNullable.java'),
    `${head} JsonNullable<T> {
      public static <T> JsonNullable<T> undefined() { return null; }
      public static <T> JsonNullable<T> of(T value) { return null; }
      public boolean isPresent() { return false; }
      public T get() { return null; }
      public T orElse(T other) { return other; }
    }`,
  );
  writeFileSync(
    join(folder, 'JsonNullableModule.java'),
    `${head} JsonNullableModule extends com.fasterxml.jackson.databind.module.SimpleModule {}`,
  );
  const files = globSync('{src/main,org}/**/*.java', { cwd: client });
  writeFileSync(join(client, 'files'), files.join('\n'));
  const words = ['-nowarn', '-Xlint:none', '-cp', toolPath(JAR), '-d', join(client, 'classes'), '@files'];
  return complaintsOf('javac', words, { cwd: client });
}

async function compileGo(client: string, { document }: ConsumerTrial): Promise<string[]> {
  const env = { GO111MODULE: 'off', GOPATH: GO_PACKAGES, GOFLAGS: '' };
  const wrong = await complaintsOf('go', ['build', '.'], { cwd: client, env });
  const isDouble = JSON.stringify(document).includes('"format":"double"');
  const models = globSync('model_*.go', { cwd: client }).map((file) =>
    readFileSync(join(client, file), 'utf8'),
  );
  // A float32 holds no amount of money to the cent.
  const short = models.filter((text) => text.includes('float32')).map(() => 'a model has a float32');
  const none = isDouble && !models.some((text) => text.includes('float64')) ? ['no model has a float64'] : [];
  return [...wrong, ...short, ...none];
}

function compileModels(client: string): Promise<string[]> {
  const system = ['ComponentModel.DataAnnotations', 'Runtime.Serialization'];
  const references = [...system.map((name) => `System.${name}.dll`), NEWTONSOFT].map((name) => `-r:${name}`);
  const files = globSync('src/Org.OpenAPITools/{Model/*,Client/OpenAPIDateConverter}.cs', { cwd: client });
  const words = ['-target:library', '-warn:0', '-out:models.dll', ...references, ...files];
  return complaintsOf('mcs', words, { cwd: client });
}

/** Compiles all of it, and lists the records of each model, which it reads into objects. */
async function runPython(client: string, { contract, records }: ConsumerTrial): Promise<string[]> {
  const wrong = await complaintsOf('python3', ['-m', 'compileall', '-q', 'openapi_client'], { cwd: client });
  if (wrong.length > 0) return wrong;
  await using mock = await createMock({ ...contract, fixtures: records, requestLog: 0 });
  const { url } = await mock.listen();
  writeFileSync(join(client, 'lists.py'), LISTS);
  const words = ['lists.py', url, contract.catalogue.version, headerIn(contract.profile.auth) ?? ''];
  return await complaintsOf('python3', words, { cwd: client });
}

const LISTS = `
import inspect, sys, openapi_client
configuration = openapi_client.Configuration(host=sys.argv[1], username='user', password='password')
configuration.access_token = 'token'
configuration.api_key[sys.argv[3]] = 'key'
client = openapi_client.ApiClient(configuration)
lists = 0
for name, api in inspect.getmembers(openapi_client, inspect.isclass):
    if not name.endswith('Api'): continue
    for method, _ in inspect.getmembers(api(client), inspect.ismethod):
        if not method.startswith('list_') or method.endswith('_with_http_info'): continue
        needs = [p for p in inspect.signature(getattr(api, method)).parameters.values() if p.default is p.empty and p.name not in ('self', 'kwargs')]
        getattr(api(client), method)(*[sys.argv[2] for _ in needs])
        lists += 1
assert lists > 0
`;
