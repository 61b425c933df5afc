import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { exportContract } from '../../generator/export/export.ts';
import { createMock } from '../../mock/mock.ts';
import { templateOf } from '../../spec/binding.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { type ConsumerTrial, type Outcome, selectionOf } from './consumer.ts';
import { headersOf, queryOf } from './crud-loop.ts';
import { toolPath } from './tools.ts';

/** Uses Ajv in strict mode with the exported schemas: all records that the mock lists must be valid. */
export async function readWithSchemas(trial: ConsumerTrial): Promise<Outcome> {
  const { contract, models } = trial;
  const schemas = await exportContract('schemas', contract, { selection: selectionOf(models) });
  return readRecords(trial, (model) => {
    const ajv = new Ajv2020({ strict: true });
    ajvFormats.default(ajv);
    const validate = ajv.compile(JSON.parse(schemas.get(`${model}.read.json`) ?? ''));
    return (record) => (validate(record) ? undefined : ajv.errorsText(validate.errors));
  });
}

/** Reads all records of the mock with the reader of each model. A reader returns the error in a record. */
export async function readRecords(
  { contract, models, records }: ConsumerTrial,
  readerOf: (model: string) => (record: unknown) => string | undefined,
): Promise<Outcome> {
  const { catalogue, profile } = contract;
  await using mock = await createMock({ ...contract, fixtures: records, requestLog: 0 });
  const { url } = await mock.listen();
  const faults: string[] = [];
  let count = 0;
  for (const model of models) {
    const read = readerOf(model.name);
    const path = `${templateOf(catalogue.base, model, 'list')}${queryOf(contract)}`;
    const answer = await fetch(`${url}${path}`, { headers: headersOf(contract) });
    const shown = valueAt(await answer.json(), pointerFor(profile['response.records'], model.name));
    for (const record of Array.isArray(shown) ? shown : []) {
      count += 1;
      const fault = read(record);
      if (fault !== undefined) faults.push(`${model.name}: ${fault}`);
    }
  }
  return { count, faults };
}

/** Uses openapi-sampler, like Redoc: the sample of each schema must be valid. */
export async function drawSamples({ document, openapi }: ConsumerTrial): Promise<Outcome> {
  const { sample } = await import(toolPath('openapi-sampler/dist/openapi-sampler.js'));
  const options = { strict: false, formats: { int32: true, int64: true, double: true } } as const;
  const ajv = openapi === '3.1' ? new Ajv2020(options) : new Ajv(options);
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  const faults = Object.keys(document.components.schemas ?? {}).flatMap((name) => {
    const $ref = `#/components/schemas/${name}`;
    const drawn = sample({ $ref }, { quiet: true }, document);
    return ajv.validate(`contract${$ref}`, drawn) ? [] : [`${name}: ${ajv.errorsText(ajv.errors)}`];
  });
  return { count: Object.keys(document.components.schemas ?? {}).length, faults };
}
