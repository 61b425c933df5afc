/** What a user may write against the installed package, in a project of their own: it is compiled and run there. */
export const PROGRAM = `
import {
  createMock, createTarget, exportContract, generateDocument, learnProfile, loadContract, runSuite,
} from 'record-model-contract';
import { createMock as again } from 'record-model-contract/mock';
import type { Brand, paths } from 'record-model-contract/types';
import document from 'record-model-contract/openapi.json' with { type: 'json' };
import older from 'record-model-contract/openapi-3.0.json' with { type: 'json' };
import brand from 'record-model-contract/schemas/brand.create.json' with { type: 'json' };
import { readFileSync } from 'node:fs';

const contract = loadContract();
const path: keyof paths = '/api/model/brand';
const name: Brand['name'] = 'a';
const mock = await createMock({ journal: 0 });
const { url } = await mock.listen();
const target = createTarget({ baseUrl: url });
const made: string = (await mock.records('brand').create({ name })).name;
const brands = await mock.records('brand').list();
// Of records without a type every name would be one.
const hasColor: 'color' extends keyof (typeof brands)[number] ? true : false = false;
await mock.reset();
const learned = await learnProfile({ ...contract, target, write: true });
const selection = { models: ['brand'] };
const yaml = readFileSync(new URL(import.meta.resolve('record-model-contract/openapi.yaml')), 'utf8');
for await (const event of runSuite({ ...contract, target, profileName: 'default', selection }))
  if (event.type === 'end')
    console.log(JSON.stringify({
      counts: event.results.counts, learned: learned.settings.size, same: again === createMock,
      openapi: document.openapi, older: older.openapi, id: brand.$id, yaml: yaml.includes(path),
      types: (await exportContract('types', contract, { selection })).includes('interface Brand'),
      title: made && generateDocument(contract).info.title,
    }));
await target.close();
await mock.close();
`;
