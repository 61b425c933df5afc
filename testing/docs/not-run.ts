import type { Block } from './markdown.ts';

/** Blocks that no test runs: the file, the first line of the block, and the reason. */
export const NOT_RUN: readonly { readonly file: string; readonly first: string; readonly why: string }[] = [
  {
    file: 'README.md',
    first: 'npm ci && npm start   # install, then serve the mock on http://127.0.0.1:4010',
    why: 'installs the development dependencies and runs all tests, which takes minutes',
  },
  {
    file: 'README.md',
    first: '$ git clone https://github.com/OWNER/record-model-contract.git',
    why: 'the address is a placeholder; packed-package.proof.ts runs the other commands with the packed package',
  },
  {
    file: 'docs/how-to/open-to-others.md',
    first: 'location / {',
    why: 'needs nginx; mock/http/guard.test.ts sends the headers that it adds',
  },
  {
    file: 'docs/how-to/check-in-ci.md',
    first: '# .github/workflows/contract.yml',
    why: 'runs only on GitHub; packed-package.proof.ts runs the commands of the action',
  },
  {
    file: 'docs/how-to/check-in-ci.md',
    first: '- run: |',
    why: 'runs only on GitHub, and starts a service of the reader',
  },
  {
    file: 'docs/how-to/watch.md',
    first: 'npx record-model check http://127.0.0.1:4010 --profile profile.yaml --watch',
    why: 'runs until Ctrl+C; cli/check/watch.test.ts runs it with a service that restarts',
  },
  {
    file: 'docs/how-to/clients.md',
    first: 'npx record-model generate --openapi 3.0 --server https://api.example.com -o openapi.json',
    why: 'needs Java; npm run consumers starts the generator and compiles what it writes',
  },
  {
    file: 'docs/reference/fixtures.md',
    first: '# yaml-language-server: $schema=../spec/schemas/fixtures.schema.json',
    why: 'shows the format; fixtures.test.ts reads such files',
  },
  {
    file: 'CONTRIBUTING.md',
    first: 'npm ci',
    why: 'installs the development dependencies and runs all tests and proofs, which takes minutes',
  },
  {
    file: 'docs/how-to/replicas.md',
    first: 'createdb mock',
    why: 'needs a PostgreSQL server with this user; cli/mock and bench/replicas have tests of the flag',
  },
  {
    file: 'docs/how-to/open-to-others.md',
    first: 'docker build -t record-model .',
    why: 'needs Docker',
  },
  {
    file: 'docs/explanation/speed.md',
    first:
      'npm run bench                                                    # 20, 10,000 and 100,000 records',
    why: 'measures for minutes',
  },
  {
    file: 'docs/how-to/storybook.md',
    first: '// .storybook/preview.js',
    why: 'needs Storybook, which is not a development dependency; the page has the versions it was tried with',
  },
  {
    file: 'docs/how-to/storybook.md',
    first: '// Brands.stories.jsx',
    why: 'needs Storybook, which is not a development dependency; the page has the versions it was tried with',
  },
  {
    file: 'docs/how-to/postman-bruno-insomnia.md',
    first: 'npx record-model generate -o openapi.json',
    why: 'npm run consumers converts the document and sends the requests',
  },
  {
    file: 'docs/how-to/postman-bruno-insomnia.md',
    first: 'npx @usebruno/cli import openapi -s openapi.json -o . -n club --collection-format bru',
    why: 'installs the command of Bruno',
  },
];

/** Whether a proof runs a block. */
export function isRun({ file, lines }: Block): boolean {
  return !NOT_RUN.some((one) => one.file === file && one.first === lines[0]);
}
