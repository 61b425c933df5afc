import { parseArgs } from 'node:util';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { DEFECTS as ZOO_DEFECTS } from '../../testing/services/defects/defects.ts';
import { ZOO } from '../../testing/services/services.ts';

export type ProveOptions = {
  readonly only?: string;
  readonly sample?: number;
  readonly seed: number;
  /** The number of seeds of the suite to try each defect with. */
  readonly seeds?: number;
  /** The zoo instead of the mock. */
  readonly zoo?: true;
  /** Only these of its services. */
  readonly services?: readonly string[];
  /** The number of dialects of the plain service to try in addition. */
  readonly dialects?: number;
  /** Tries the plain service with one manner at a time. */
  readonly each?: boolean;
  /** Only these models, where no defect says which. */
  readonly models?: string;
  /** Each of them, or of all where none is named, behind each unstable proxy too. */
  readonly unstable?: boolean;
  /** The number of runs on one database, one after the other. */
  readonly repeat?: number;
  /** The number of concurrent runs. */
  readonly together?: number;
  /** Services with hostile responses: one run for each shape, and this number of runs with random shapes. */
  readonly hostile?: number;
  /** The number of runs that are killed at a random moment, then cleaned up. */
  readonly kill?: number;
};

/** Reads the options of the process. Throws UsageError for wrong ones. */
export function readOptions(): ProveOptions {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string' },
      services: { type: 'boolean', default: false },
      service: { type: 'string', multiple: true, default: [] },
      dialects: { type: 'string', default: '0' },
      each: { type: 'boolean', default: false },
      unstable: { type: 'boolean', default: false },
      models: { type: 'string' },
      repeat: { type: 'string' },
      together: { type: 'string' },
      hostile: { type: 'string' },
      kill: { type: 'string' },
    },
  });
  const { only, sample, seed, service } = values;
  const others = values.each || values.unstable || values.dialects !== '0';
  const zoo = values.services || service.length > 0 || others;
  const isAll = values.services && service.length === 0;
  if (zoo)
    for (const name of service)
      checkName(
        '--service',
        name,
        ZOO.map((one) => one.name),
      );
  if (only !== undefined)
    checkName('--only', only, zoo ? ZOO_DEFECTS.map(({ name }) => name) : namesOfDefects());
  return {
    ...(only === undefined ? {} : { only }),
    ...(sample === undefined ? {} : { sample: wholeNumber('--sample', sample) }),
    seed: wholeNumber('--seed', seed),
    ...(values.seeds === undefined ? {} : { seeds: wholeNumber('--seeds', values.seeds) }),
    ...(zoo ? { zoo, each: values.each, unstable: values.unstable } : {}),
    ...(isAll ? {} : { services: service }),
    dialects: wholeNumber('--dialects', values.dialects),
    ...(values.models === undefined ? {} : { models: values.models }),
    ...(values.repeat === undefined ? {} : { repeat: wholeNumber('--repeat', values.repeat) }),
    ...(values.kill === undefined ? {} : { kill: wholeNumber('--kill', values.kill) }),
    ...(values.hostile === undefined ? {} : { hostile: wholeNumber('--hostile', values.hostile) }),
    ...(values.together === undefined ? {} : { together: wholeNumber('--together', values.together) }),
  };
}

/** The names of the mock's defects, and of their groups. */
function namesOfDefects(): string[] {
  const names = DEFECTS.map(({ name }) => name);
  return [...new Set(names.map((name) => name.split('.')[0] ?? name)), ...names];
}

function checkName(flag: string, name: string, names: readonly string[]): void {
  if (!names.includes(name)) throw new UsageError(unexpected('name', name, [...names], `in ${flag}`));
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} must be a whole number, but is "${text}".`);
}
