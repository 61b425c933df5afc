import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateDocument } from '../../generator/generate.ts';
import { createMock } from '../../mock/mock.ts';
import { type ConsumerTrial, type Outcome, selectionOf } from './consumer.ts';
import { toolPath } from './tools.ts';

type Report = {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly response?: { readonly code: number };
    }[];
  };
};

/** The options of `docs/how-to/postman-bruno-insomnia.md`: examples as values, and no optional parameter. */
const OPTIONS = 'parametersResolution=Example,enableOptionalParameters=false,folderStrategy=Tags';

/** The variables of a collection whose requests need credentials. */
const VARIABLES = ['bearerToken', 'basicAuthUsername', 'basicAuthPassword', 'apiKey'];

/** Converts the document to a Postman collection, and sends each request once, with newman, to a mock with the demo records. */
export async function sendFromPostman(trial: ConsumerTrial): Promise<Outcome> {
  const { contract, directory, models, openapi, records } = trial;
  const [document, collection, report] = ['openapi.json', 'collection.json', 'report.json'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  await using mock = await createMock({ ...contract, fixtures: records, requestLog: 0 });
  const { url } = await mock.listen();
  const options = { openapi, records, servers: [url], selection: selectionOf(models) };
  writeFileSync(document, JSON.stringify(generateDocument(contract, options)));
  await run('openapi-to-postmanv2/bin/openapi2postmanv2.js', '-s', document, '-o', collection, '-O', OPTIONS);
  const credentials = VARIABLES.flatMap((name) => ['--env-var', `${name}=any`]);
  const flags = ['--reporters', 'json', '--reporter-json-export', report, ...credentials];
  await run('newman/bin/newman.js', 'run', collection, ...flags);
  const { executions }: Report['run'] = JSON.parse(readFileSync(report, 'utf8')).run;
  const faults = executions.flatMap(({ item, response }) =>
    response && response.code < 300 ? [] : `${item.name}: ${response ? response.code : 'no response'}`,
  );
  return { count: executions.length, faults };
}

function run(tool: string, ...words: string[]) {
  return promisify(execFile)(process.execPath, [toolPath(tool), ...words]);
}
