/**
 * Switches off one clause of the judge after the other, and shows what no case reports without it: one of the drawn
 * defects, or else a fault that a test of the judge plants. A clause is a place in `conformance/record/` that blames a
 * write or a response. A clause that nothing needs is named last, with exit code 1: it is deleted, or gets its defect.
 *
 *   npm run prove:clauses
 */
import { registerHooks } from 'node:module';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { startVitest } from 'vitest/node';

/** The functions that the judge calls to report a failure. Each call is a clause. */
const BLAMES = /^notes\.(add|value|drift)$/;
const JUDGE = '/conformance/record/';
/** The tests that plant faults for the judge. */
const TESTS = ['conformance/record', 'conformance/rules/kept-seconds'];

type Clause = { readonly name: string; isOff: boolean; isHit: boolean };

const clauses: Clause[] = [];
Object.assign(globalThis, { holdsClause });
registerHooks({
  load(url, context, load) {
    const loaded = load(url, context);
    if (!isOfJudge(url) || loaded.source === undefined) return loaded;
    const source = switched(url, String(loaded.source), (name) => {
      const number = clauses.push({ name, isOff: false, isHit: false }) - 1;
      return `globalThis.holdsClause(${number})`;
    });
    return { ...loaded, source };
  },
});

function holdsClause(number: number): boolean {
  const clause = clauses[number];
  if (!clause) throw new Error(`there is no clause ${number}`);
  clause.isHit = true;
  return !clause.isOff;
}

function isOfJudge(url: string): boolean {
  return url.includes(JUDGE) && !url.includes('.test.');
}

/** The same source with a condition before each clause. */
function switched(url: string, source: string, conditionOf: (name: string) => string): string {
  const path = url.slice(url.indexOf(JUDGE) + 1);
  const calls: ESTree.Expression[] = [];
  const note = (one: ESTree.Expression | ESTree.FunctionBody) => {
    if (one.type === 'CallExpression' && BLAMES.test(source.slice(one.callee.start, one.callee.end)))
      calls.push(one);
  };
  new Visitor({
    ExpressionStatement: ({ expression }) => note(expression),
    ArrowFunctionExpression: ({ body }) => note(body),
  }).visit(parseSync(path, source).program);
  const inserts = calls.flatMap(({ end, start }) => {
    const line = source.slice(0, start).split('\n').length;
    const text = source.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 60);
    return [
      [start, `(${conditionOf(`${path}:${line} ${text}`)} ? `] as const,
      [end, ' : undefined)'] as const,
    ];
  });
  let changed = source;
  for (const [at, text] of inserts.toSorted(([one], [other]) => other - one))
    changed = changed.slice(0, at) + text + changed.slice(at);
  return changed;
}

const { loadCatalogue } = await import('../../spec/catalogue/catalogue.ts');
const { DEFAULT_PROFILE } = await import('../../spec/profile/profile.ts');
const { loadReferences } = await import('../../spec/references.ts');
const { demo } = await import('../../testing/demo.ts');
const { createTrial } = await import('./defect-trial.ts');
const { createOutcomes, drawnTrials, nameOf } = await import('./outcomes.ts');

const catalogue = loadCatalogue();
const contract = { catalogue, references: loadReferences(catalogue), profile: DEFAULT_PROFILE };
const outcomes = await createOutcomes(contract, demo);
const isCaught = await createTrial(contract, demo);
/** The trials that reached each clause, with the results of their cases. */
const hits = new Map<Clause, { trial: Parameters<typeof outcomes>[0]; said: string }[]>();
for (const trial of drawnTrials(contract)) {
  for (const clause of clauses) clause.isHit = false;
  const said = await outcomes(trial);
  for (const clause of clauses)
    if (clause.isHit) hits.set(clause, [...(hits.get(clause) ?? []), { trial, said }]);
}
const needless: string[] = [];
for (const clause of clauses) {
  const missed = (await findMissed(clause)) ?? (await findTested(clause));
  if (missed === undefined)
    needless.push(`${clause.name} (${hits.get(clause)?.length ?? 0} defects reach it)`);
  else process.stdout.write(`${clause.name}\n  ${missed}\n`);
}
process.stdout.write(
  `${clauses.length} clauses, ${needless.length} that nothing needs${needless.map((name) => `\n  ${name}`).join('')}\n`,
);
process.exitCode = needless.length === 0 ? 0 : 1;

/** A defect of which some failure is missing while the clause is off, or that is not caught by its rules alone. */
async function findMissed(clause: Clause): Promise<string | undefined> {
  clause.isOff = true;
  try {
    for (const { said, trial } of hits.get(clause) ?? []) {
      const without = failuresIn(await outcomes(trial));
      const lost = [...failuresIn(said)].find((failure) => !without.has(failure));
      if (lost !== undefined) return `${nameOf(said)} loses ${lost}`;
      const { caught, name } = await isCaught(trial.defect, trial.place);
      if (!caught) return `${name} is not caught by its rules alone`;
    }
  } finally {
    clause.isOff = false;
  }
  return undefined;
}

/** A test of the judge that fails without the clause. */
async function findTested({ name }: Clause): Promise<string | undefined> {
  const plugin = {
    name: 'clause that is off',
    enforce: 'pre' as const,
    transform: (source: string, url: string) =>
      isOfJudge(url) ? switched(url, source, (one) => String(one !== name)) : undefined,
  };
  const options = {
    bail: 1,
    // Vitest keeps what it compiled on disk, and would not see that a clause is off.
    fsModuleCache: false,
    reporters: [],
    watch: false,
  };
  const vitest = await startVitest('test', TESTS, options, { plugins: [plugin] });
  const failed = vitest.state.getTestModules().flatMap(({ children }) => [...children.allTests('failed')]);
  await vitest.close();
  return failed[0] && `without it fails: ${failed[0].fullName}`;
}

/** Each failed case of a paragraph, as `rule: place`. */
function failuresIn(paragraph: string): ReadonlySet<string> {
  return new Set(
    [...paragraph.matchAll(/^ {2}fail (\S+): (.*)$/gm)].flatMap(([, rule, places = '']) =>
      places.split(' ').map((place) => `${rule} ${place}`),
    ),
  );
}
