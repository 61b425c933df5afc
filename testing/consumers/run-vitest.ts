import { spawn } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const VITEST = join(fileURLToPath(import.meta.resolve('vitest/package.json')), '..', 'vitest.mjs');
const SUITE = join(import.meta.dirname, '../../conformance');

type Result = {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
};

/** The report of vitest on one file. */
type FileRun = {
  /** Why it could not be collected. */
  readonly message: string;
  readonly results: readonly Result[];
  readonly failed: readonly Result[];
  readonly passed: readonly Result[];
  /** The errors that vitest prints under the name of the file, each in a line. */
  readonly errors: readonly string[];
};

export type Run = { readonly code: number | null; readonly output: string; of(name: string): FileRun };

/** Runs the vitest of a user, with a file for each of the options that declares the suite with them. */
export async function runVitest(files: Readonly<Record<string, object>>, ...flags: string[]): Promise<Run> {
  using made = mkdtempDisposableSync(join(tmpdir(), 'suite-'));
  const directory = made.path;
  const suite = JSON.stringify(join(SUITE, 'vitest.ts'));
  for (const [name, options] of Object.entries(files))
    writeFileSync(
      join(directory, `${name}.test.mjs`),
      `import { describeConformance } from ${suite};\ndescribeConformance(${JSON.stringify(options)});\n`,
    );
  const report = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`, '--no-color'];
  // All files share the loaded modules.
  const shared = ['--globals=false', '--no-isolate', '--maxWorkers=1'];
  // The packages are those of the kit, since the directory has none.
  const child = spawn(
    process.execPath,
    [VITEST, 'run', '--root', directory, ...shared, ...reporters, ...flags],
    { cwd: SUITE, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const closed = new Promise<number | null>((done) => child.on('close', done));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  const output = stdout + stderr;
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; message: string; assertionResults: Result[] }[];
  };
  const blocks = output.split(/^(?= FAIL )/m);
  return {
    code,
    output,
    of(name) {
      const file = testResults.find((one) => one.name.endsWith(`/${name}.test.mjs`));
      if (!file) throw new Error(`vitest ran no ${name}: ${output}`);
      const { assertionResults: results, message } = file;
      const having = (wanted: string) => results.filter(({ status }) => status === wanted);
      const errors = blocks
        .filter((block) => block.startsWith(` FAIL  ${name}.test.mjs`))
        .flatMap((block) => block.match(/Error: .*/g) ?? []);
      return { message, results, failed: having('failed'), passed: having('passed'), errors };
    },
  };
}
