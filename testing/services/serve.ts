/**
 * Serves one of the zoo until it is ended: node testing/services/serve.ts plain [--defect NAME] [--port 4020]
 * [--option paging=none …] [--draw SEED] [--list-defects]
 */
import { parseArgs } from 'node:util';
import { drawOptions, readOptions } from './plain/options.ts';
import { startPlain } from './plain/plain.ts';
import { ZOO } from './services.ts';
import { DISTURBANCES, startUnstable } from './unstable/unstable.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    defect: { type: 'string' },
    port: { type: 'string', default: '0' },
    option: { type: 'string', multiple: true, default: [] },
    draw: { type: 'string' },
    unstable: { type: 'string' },
    'list-defects': { type: 'boolean', default: false },
  },
});

try {
  await serve();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}

async function serve(): Promise<void> {
  const [name = ''] = positionals;
  const service = ZOO.find((known) => known.name === name);
  if (!service)
    throw new Error(`the service is "${name}"; expected ${ZOO.map((known) => known.name).join(', ')}`);
  if (values['list-defects']) {
    for (const { name, rules } of service.defects)
      process.stdout.write(`${name.padEnd(32)} ${rules.join(', ')}\n`);
    return;
  }
  const defect = service.defects.find((known) => known.name === values.defect);
  if (values.defect !== undefined && !defect)
    throw new Error(`--defect is "${values.defect}"; expected one of --list-defects`);
  const disturbance = DISTURBANCES.find((known) => known === values.unstable);
  if (values.unstable !== undefined && !disturbance)
    throw new Error(`--unstable is "${values.unstable}"; expected ${DISTURBANCES.join(', ')}`);
  const port = Number(values.port);
  const options = { ...(defect ? { defect } : {}), ...(disturbance ? {} : { port }) };
  const dialect = values.draw === undefined ? readOptions(values.option) : drawOptions(Number(values.draw));
  const started = name === 'plain' ? await startPlain({ ...options, dialect }) : await service.start(options);
  const shown = disturbance ? await startUnstable(started, [disturbance], { port }) : started;
  process.stdout.write(`${name} on ${shown.url}\n`);
}
