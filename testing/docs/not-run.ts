import type { Block } from './markdown.ts';

/** The blocks of each file that no test runs, by their first line, with the reason. */
export const NOT_RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ci && npm start   # install, then serve the mock on http://127.0.0.1:4010':
      'installs the development dependencies and runs all tests, which takes minutes',
    '$ git clone https://github.com/OWNER/record-model-contract.git':
      'the address is a placeholder; packed-package.proof.ts runs the other commands with the packed package',
  },
  'docs/how-to/open-to-others.md': {
    'location / {': 'needs nginx; mock/http/http.test.ts sends the headers that it adds',
    'docker build -t record-model .': 'needs Docker',
  },
  'docs/how-to/check-in-ci.md': {
    '# .github/workflows/contract.yml':
      'runs only on GitHub; packed-package.proof.ts runs the commands of the action',
    '- run: |': 'runs only on GitHub, and starts a service of the reader',
  },
  'docs/how-to/watch.md': {
    'npx record-model check http://127.0.0.1:4010 --profile profile.yaml --watch':
      'runs until Ctrl+C; cli/check/watch.test.ts runs it with a service that restarts',
  },
  'docs/how-to/clients.md': {
    'npx record-model generate --openapi 3.0 --server https://api.example.com -o openapi.json':
      'needs Java; npm run consumers starts the generator and compiles what it writes',
    '// kubb.config.mjs': 'needs kubb; npm run consumers starts it with the same plugins',
  },
  'docs/reference/fixtures.md': {
    '# yaml-language-server: $schema=../spec/schemas/fixtures.schema.json':
      'shows the format; fixtures.test.ts reads such files',
  },
  'CONTRIBUTING.md': {
    'npm ci': 'installs the development dependencies and runs all tests and proofs, which takes minutes',
  },
  'docs/how-to/replicas.md': {
    'createdb mock':
      'needs a PostgreSQL server with this user; cli/stores and bench/store have tests of the flag',
  },
  'docs/explanation/speed.md': {
    'npm run bench                                                    # 20, 10,000, and 100,000 records':
      'measures for minutes',
  },
  'docs/how-to/storybook.md': {
    '// .storybook/preview.js':
      'needs Storybook, which is not a development dependency; the page has the versions it was tried with',
    '// Brands.stories.jsx':
      'needs Storybook, which is not a development dependency; the page has the versions it was tried with',
  },
  'docs/how-to/postman-bruno-insomnia.md': {
    'npx record-model generate -o openapi.json':
      'npm run consumers converts the document and sends the requests',
    'npx @usebruno/cli import openapi -s openapi.json -o . -n club --collection-format bru':
      'installs the command of Bruno',
  },
};

/** Whether a proof runs a block. */
export function isRun({ file, lines }: Block): boolean {
  return !Object.hasOwn(NOT_RUN[file] ?? {}, lines[0] ?? '');
}
