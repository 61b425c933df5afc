import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseResult, Results } from '../../../conformance/results/results.ts';
import { run } from '../../../testing/command.ts';
import type { Service } from '../../../testing/services/service.ts';

/** The result of one command of the kit on a service. */
export type Said = {
  readonly code: number;
  readonly cases: readonly CaseResult[];
  readonly requests: number;
  /** The records that it reports as left behind, as `model/id`. */
  readonly left: readonly string[];
  /** The output. */
  readonly text: string;
};

/** The result of a trial of the kit: a line about it, and the mistakes of the kit. */
export type Tried = { readonly text: string; readonly problems: readonly string[] };

export type Kit = ReturnType<typeof createKit>;

/** The kit as a user has it: the command, in a separate directory. */
export function createKit() {
  const start = process.cwd();
  const directory = mkdtempSync(join(tmpdir(), 'record-model-service-'));
  let runs = 0;
  const file = (name: string) => join(directory, name);
  const saying = async (...args: readonly string[]): Promise<Said> => {
    const { code, stderr, stdout } = await run(directory, ...args);
    return { code, cases: [], requests: 0, left: [], text: stdout + stderr };
  };
  return {
    /** Returns the path of a file of that name. */
    file,
    /** Removes what the journal of a run that was killed names. */
    clean: (journal: string) => saying('clean', journal),
    learn: (url: string, profile: string, args: readonly string[]) =>
      saying('learn', url, '-o', file(profile), ...args),
    check: async (url: string, args: readonly string[]): Promise<Said> => {
      const results = file(`results-${++runs}.json`);
      const leftovers = file(`leftovers-${runs}.json`);
      const said = await saying('check', url, '--json', results, '--manifest', leftovers, ...args);
      const { leftovers: left = [] } = read<Manifest>(leftovers) ?? {};
      const { cases = [], requests = 0 } = read<Results>(results) ?? {};
      return { ...said, cases, requests, left };
    },
    [Symbol.dispose]: () => {
      process.chdir(start);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The name of the profile file that `learn` writes for a service. */
export function profileOf(name: string): string {
  return `${name.split(' ').slice(0, 2).join('-')}.yaml`;
}

type Manifest = { readonly leftovers?: readonly string[] };

/** A run that could not begin leaves no results, and one that removed all no manifest. */
function read<Content>(path: string): Partial<Content> | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Describes the cases that are not green. */
export function describeSaid({ cases, code, text }: Said): string {
  const bad = cases.filter(
    ({ level, outcome }) => level !== 'advice' && outcome !== 'pass' && outcome !== 'skip',
  );
  const lines = bad
    .slice(0, 3)
    .map(({ id, message, outcome }) => `${outcome} ${id}: ${message?.slice(0, 160)}`);
  const rest = bad.length > 3 ? [`and ${bad.length - 3} more`] : [];
  const last = bad.length === 0 ? [text.trim().split('\n').at(-1) ?? ''] : [];
  return `exit ${code}; ${[...lines, ...rest, ...last].join('; ')}`;
}

/** Returns the differences to the records before the run, except those that the run reported. */
export function compare(
  service: Service,
  before: readonly string[],
  isSaid: (id: string) => boolean = () => false,
): string[] {
  const now = new Set(service.live());
  const then = new Set(before);
  const gone = before.filter((id) => !now.has(id));
  const left = [...now].filter((id) => !then.has(id) && !isSaid(id));
  return [
    ...(gone.length > 0 ? [`${gone.length} records are gone, such as ${gone.slice(0, 5).join(', ')}`] : []),
    ...(left.length > 0
      ? [`${left.length} records are left behind, such as ${left.slice(0, 5).join(', ')}`]
      : []),
  ];
}

/** Whether a run reported a record as left behind: itself, its parent, or a record of its model with an unknown ID. */
export function isNamed(record: string, left: readonly string[]): boolean {
  const [name = ''] = record.split('/');
  return left.some((one) => {
    const [model = '', id = ''] = one.split('/');
    if (one === record || name === `${model}Line`) return true;
    return name === model && !/^\d+$/.test(id);
  });
}
