import { parseArgs } from 'node:util';
import { DEFECTS } from '../../mock/defects/defects.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { DEFECTS as ZOO_DEFECTS } from '../../testing/services/defects/defects.ts';
import { ZOO } from '../../testing/services/services.ts';

export type ProveOptions = ReturnType<typeof readOptions>;

/** Reads the options of the process. Throws UsageError for wrong ones. */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      /** Only this defect, or group of defects. */
      only: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      /** The zoo instead of the mock, or only these of its services. */
      services: { type: 'boolean', default: false },
      service: { type: 'string', multiple: true, default: [] },
      /** The number of dialects of the plain service to try in addition. */
      dialects: { type: 'string', default: '0' },
      /** Tries the plain service with one manner at a time. */
      each: { type: 'boolean', default: false },
      /** Each of the services, or of all where none is named, behind each unstable proxy too. */
      unstable: { type: 'boolean', default: false },
      /** Only these models, where no defect says which. */
      models: { type: 'string' },
      /** The number of concurrent runs. */
      together: { type: 'string' },
      /** Services with hostile responses: one run for each shape, and this number of runs with random shapes. */
      hostile: { type: 'string' },
      /** The number of runs that are killed at a random moment, then cleaned up. */
      kill: { type: 'string' },
    },
  });
  const { each, models, only, service, services, unstable } = values;
  const zoo = services || service.length > 0 || each || unstable || values.dialects !== '0';
  const known = ZOO.map(({ name }) => name);
  for (const name of service) checkName('--service', name, known);
  if (only !== undefined)
    checkName('--only', only, zoo ? ZOO_DEFECTS.map(({ name }) => name) : namesOfDefects());
  const number = (name: 'sample' | 'together' | 'hostile' | 'kill') => {
    const text = values[name];
    return text === undefined ? undefined : wholeNumber(`--${name}`, text);
  };
  return {
    only,
    models,
    each,
    unstable,
    zoo,
    names: services && service.length === 0 ? undefined : service,
    seed: wholeNumber('--seed', values.seed),
    dialects: wholeNumber('--dialects', values.dialects),
    sample: number('sample'),
    together: number('together'),
    hostile: number('hostile'),
    kill: number('kill'),
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
