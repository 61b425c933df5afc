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
    why: 'the address is a placeholder; package.test.ts runs the other commands with the packed package',
  },
  {
    file: 'docs/check.md',
    first: '- uses: OWNER/record-model-contract@REF',
    why: 'runs only on GitHub; package.test.ts runs the commands of the action',
  },
];
