import type { OpenAPIV3_1 } from 'openapi-types';
import { isOfKit } from '../spec/catalogue/catalogue.ts';
import { type Contract, type ContractSource, loadContract } from '../spec/contract.ts';
import { checkOptions, isListOf, isObject, isString, type OptionForm } from '../spec/files/check-options.ts';
import { createRecordCodec } from '../spec/wire/record-codec.ts';
import { type Assumption, assumptionsOf } from './assumptions.ts';
import { createComponents } from './components.ts';
import { infoOf, type Publication } from './info.ts';
import { createExampleRecords, type GivenRecords } from './operations/example-records.ts';
import { pathsOf } from './operations/paths.ts';
import { securityOf } from './operations/security.ts';
import { refuseCircularLines } from './schemas/lines.ts';
import { referToFields } from './schemas/write-schemas.ts';
import { type Selection, selectModels } from './selection.ts';
import type { Sources } from './sources.ts';
import { type Tags, tagsOf } from './tags.ts';
import type { OpenApiVersion } from './version.ts';

export { EXTENSIONS } from './schemas/schema.ts';

/** An OpenAPI document that surely has paths and components, and says what it assumes. */
export type ContractDocument = OpenAPIV3_1.Document & {
  paths: OpenAPIV3_1.PathsObject;
  components: OpenAPIV3_1.ComponentsObject;
  'x-assumptions': Assumption[];
} & Tags;

/** What a document says beside its contract. */
export type DocumentOptions = Publication & {
  /** Only the operations of these models, and what they need; all by default. */
  readonly selection?: Selection;
  /** Where the service is; by default an address that the reader can set, at first that of the mock. */
  readonly servers?: readonly string[];
  /** The records that examples show; samples where there are none of a model. */
  readonly records?: GivenRecords;
  /** What operations are grouped by; `model` by default, with the areas as groups of tags. */
  readonly tags?: 'area' | 'model';
  /** The version of OpenAPI; 3.1 by default. */
  readonly openapi?: OpenApiVersion;
};

const isNames = (value: unknown) => value === undefined || isListOf(isString)(value);

/** What each option expects. */
const FORMS: Readonly<Record<keyof DocumentOptions, OptionForm>> = {
  title: ['a string', isString],
  contact: ['an object', isObject],
  license: ['an object', isObject],
  selection: [
    '{ models, areas }',
    (value) => isObject(value) && isNames(value.models) && isNames(value.areas),
  ],
  servers: ['a list of URLs', isListOf(isString)],
  records: ['a Map of records by model', (value) => value instanceof Map],
  tags: ['model or area', (value) => value === 'model' || value === 'area'],
  openapi: ['3.1 or 3.0', (value) => value === '3.1' || value === '3.0'],
};

/**
 * Writes the document when it is first asked for: it takes longer than all else of a start. That of a catalogue of the
 * user's own is written at once, since it may be impossible; throws UsageError then.
 */
export function deferDocument(contract: Contract, options?: DocumentOptions): () => ContractDocument {
  let made = isOfKit(contract.catalogue) ? undefined : generateDocument(contract, options);
  return () => {
    made ??= generateDocument(contract, options);
    return made;
  };
}

/**
 * Writes the OpenAPI document of a contract, in 3.1 or its twin in 3.0. Pure: equal arguments give equal documents,
 * keys in the same order. Throws UsageError when models can't stand in one document: two things with one
 * schema name, or lines that hold each other in a circle; when a selection names what is not there; and for an option
 * of another form.
 */
export function generateDocument(
  source: ContractSource = {},
  options: DocumentOptions = {},
): ContractDocument {
  checkOptions(options, FORMS);
  const contract = loadContract(source);
  const { profile } = contract;
  const sources = sourcesOf(contract, options);
  const assumptions = assumptionsOf(contract);
  // First, because what it refers to becomes a component.
  const paths = pathsOf(sources);
  const { security, schemes } = securityOf(profile);
  return {
    openapi: sources.version === '3.0' ? '3.0.3' : '3.1.0',
    info: infoOf(sources, assumptions, options),
    servers: serversOf(options.servers),
    security,
    ...tagsOf(sources),
    paths,
    components: {
      ...sources.components.all(),
      ...(security.length === 0 ? {} : { securitySchemes: schemes }),
    },
    'x-assumptions': assumptions,
  };
}

/** The schemas of the document that say what creates and updates take, without the rest of it. */
export function generateWriteSchemas(contract: Contract): OpenAPIV3_1.ComponentsObject {
  const sources = sourcesOf(contract, {});
  for (const model of sources.selected.values())
    for (const operation of ['create', 'update'] as const)
      if (model.operations.includes(operation)) referToFields(operation, model, sources);
  return sources.components.all();
}

function sourcesOf(contract: Contract, options: DocumentOptions): Sources {
  const { catalogue, profile, references } = contract;
  if (profile['types.lines'] === 'objects') refuseCircularLines(catalogue);
  return {
    catalogue,
    profile,
    references,
    codec: createRecordCodec(catalogue, profile),
    components: createComponents(),
    records: createExampleRecords(contract, options.records),
    version: options.openapi ?? '3.1',
    selected: selectModels(catalogue, options.selection ?? {}),
    tags: options.tags ?? 'model',
  };
}

function serversOf(urls: readonly string[] | undefined): OpenAPIV3_1.ServerObject[] {
  if (urls) return urls.map((url) => ({ url }));
  return [
    {
      url: '{baseUrl}',
      description: 'The service. The default is the mock on this machine.',
      // No description: the schema that OpenAPI 3.1.0 was published with refuses it.
      variables: { baseUrl: { default: 'http://127.0.0.1:4010' } },
    },
  ];
}
