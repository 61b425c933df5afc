import type { OpenAPIV3_1 } from 'openapi-types';
import { hasId, METHODS, templateOf } from '../spec/binding.ts';
import { isOfKit, type Model, type Operation } from '../spec/catalogue/catalogue.ts';
import { type Contract, type ContractSource, loadContract } from '../spec/contract.ts';
import {
  checkOptions,
  isBoolean,
  isListOf,
  isObject,
  isString,
  type OptionForm,
} from '../spec/files/check-options.ts';
import type { SettingFacts } from '../spec/meta/meta.ts';
import { headerIn, type Profile, SETTINGS, type SettingName, showOption } from '../spec/profile/profile.ts';
import { createRecordCodec } from '../spec/wire/record-codec.ts';
import { createComponents } from './components.ts';
import { createExampleRecords, type GivenRecords } from './operations/example-records.ts';
import { operationOf } from './operations/operations.ts';
import { compactDocument, withIdFormat } from './rewrite.ts';
import { refuseCircularLines } from './schemas/names.ts';
import { describeModel } from './schemas/write-schemas.ts';
import { type DocumentSelection, modelsByArea, selectModels } from './selection.ts';
import type { Sources } from './sources.ts';
import { ID_FORMATS, type IdFormat, type OpenApiVersion } from './version.ts';

/** The settings that every client needs first. `x-assumptions` has all. */
const FELT: readonly SettingName[] = [
  'request.encoding',
  'request.unknownFields',
  'request.readonlyFields',
  'request.update',
  'response.unset',
  'errors.form',
  'delete.effect',
  'list.paging',
  'types.currency',
  'types.select',
  'types.datetime',
  'auth',
];

export { EXTENSIONS } from './schemas/schema.ts';

/** An OpenAPI document that surely has paths and components, and says what it assumes. */
export type ContractDocument = OpenAPIV3_1.Document & {
  paths: OpenAPIV3_1.PathsObject;
  components: OpenAPIV3_1.ComponentsObject;
  'x-assumptions': Assumption[];
} & Tags;

/** Options of a document in addition to its contract. */
export type DocumentOptions = Publication & {
  /** Only the operations of these models, and what they need; all by default. */
  readonly selection?: DocumentSelection;
  /** Where the service is; by default an address that the reader can set, at first that of the mock. */
  readonly servers?: readonly string[] | undefined;
  /** The records that examples show; samples where there are none of a model. */
  readonly records?: GivenRecords | undefined;
  /** How operations are grouped. The default is `model`, with the areas as groups of tags. */
  readonly tags?: 'area' | 'model' | undefined;
  /** The version of OpenAPI; 3.1 by default. */
  readonly openapi?: OpenApiVersion | undefined;
  /** The format of IDs and counts; `int64` by default. Some tools turn `int64` into a BigInt. */
  readonly idFormat?: IdFormat | undefined;
  /** Whether to leave out examples, links, and extensions. */
  readonly compact?: boolean | undefined;
};

const isNames = (value: unknown) => value === undefined || isListOf(isString)(value);

/** The form of each option. */
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
  idFormat: ['int64, int32, or none', (value) => ID_FORMATS.some((format) => format === value)],
  compact: ['true or false', isBoolean],
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
 * Returns the OpenAPI document of a contract, in 3.1 or 3.0. Pure: equal arguments give equal documents, with keys in
 * the same order. Throws UsageError for models that can't be in one document (two parts with one schema name, or lines
 * that contain each other), for a selection of something unknown, and for an option in a wrong form.
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
  const credentials = schemeOf(profile);
  const whole: ContractDocument = {
    openapi: sources.version === '3.0' ? '3.0.3' : '3.1.0',
    info: infoOf(sources, assumptions, options),
    servers: serversOf(options.servers),
    // An empty list says that there are no credentials.
    security: credentials ? [{ credentials: [] }] : [],
    ...tagsOf(sources),
    paths,
    components: {
      ...sources.components.all(),
      ...(credentials && { securitySchemes: { credentials } }),
    },
    'x-assumptions': assumptions,
  };
  const { compact, idFormat = 'int64' } = options;
  const document = idFormat === 'int64' ? whole : withIdFormat(whole, idFormat);
  return compact ? compactDocument(document) : document;
}

function sourcesOf(contract: Contract, options: DocumentOptions): Sources {
  const { catalogue, profile, references } = contract;
  if (profile['types.lines'] === 'objects') refuseCircularLines(catalogue);
  return {
    prefix: '',
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

/** Returns plain URLs, because many tools send requests to the text of a URL with variables. */
function serversOf(urls: readonly string[] | undefined): OpenAPIV3_1.ServerObject[] {
  if (urls) return urls.map((url) => ({ url }));
  return [{ url: 'http://127.0.0.1:4010', description: 'The mock on this machine.' }];
}

/** The two paths of every model that is wanted, with the operations it has, in the order of the source. */
function pathsOf(sources: Sources): OpenAPIV3_1.PathsObject {
  const { base } = sources.catalogue;
  return Object.fromEntries(
    [...sources.selected.values()].flatMap((model) =>
      [false, true].flatMap((withId) => {
        const operations = model.operations.filter((operation) => hasId(operation) === withId);
        const [first] = operations;
        return first ? [[templateOf(base, model, first), itemOf(model, operations)] as const] : [];
      }),
    ),
  );

  function itemOf(model: Model, operations: readonly Operation[]): OpenAPIV3_1.PathItemObject {
    return Object.fromEntries(
      operations.map((operation) => [METHODS[operation], operationOf(operation, model, sources)]),
    );
  }
}

/** Returns how clients send credentials; undefined if they send none. */
function schemeOf(profile: Profile): OpenAPIV3_1.SecuritySchemeObject | undefined {
  const description = 'Assumed. The source does not show how clients authenticate.';
  switch (profile.auth) {
    case 'none':
      return undefined;
    case 'bearer':
      return { type: 'http', scheme: 'bearer', description };
    case 'basic':
      return { type: 'http', scheme: 'basic', description };
    default:
      return { type: 'apiKey', in: 'header', name: headerIn(profile.auth) ?? '', description };
  }
}

/** The tags of a document; `x-tagGroups` puts those of models under their areas. */
type Tags = {
  tags: OpenAPIV3_1.TagObject[];
  'x-tagGroups'?: { name: string; tags: string[] }[];
};

/** A tag for each area or each model that is wanted, in the order of the source. */
function tagsOf({ catalogue, selected, tags }: Sources): Tags {
  const areas = modelsByArea(catalogue, selected);
  if (tags === 'area') return { tags: areas.map(({ name, about }) => ({ name, description: about })) };
  return {
    tags: areas.flatMap(({ models }) =>
      models.map((model) => ({ name: model.name, description: describeModel(model) })),
    ),
    'x-tagGroups': areas.map(({ models, name }) => ({ name, tags: models.map((model) => model.name) })),
  };
}

/** Facts about the API that the source omits and the publisher of the document can add. */
type Publication = {
  readonly title?: string | undefined;
  readonly contact?: OpenAPIV3_1.ContactObject | undefined;
  readonly license?: OpenAPIV3_1.LicenseObject | undefined;
};

/** Returns the title, the version label, and an introduction. */
function infoOf(
  sources: Sources,
  assumptions: readonly Assumption[],
  { title, contact, license }: Publication,
): OpenAPIV3_1.InfoObject {
  const { catalogue, version } = sources;
  return {
    title: title ?? catalogue.title,
    version: catalogue.version,
    description: describe(sources, assumptions),
    // Linters require a contact, and the source has none.
    contact: contact ?? { name: 'The operator of the service' },
    // Applies to this document only. The source has no license.
    license: licenseIn(version, license ?? { name: 'MIT', identifier: 'MIT' }),
  };
}

/** OpenAPI 3.0 has no word for an SPDX identifier, only an address. */
function licenseIn(version: OpenApiVersion, license: OpenAPIV3_1.LicenseObject): OpenAPIV3_1.LicenseObject {
  const { identifier, ...rest } = license;
  if (version === '3.1' || identifier === undefined) return license;
  return { ...rest, url: `https://spdx.org/licenses/${encodeURIComponent(identifier)}.html` };
}

/** Short, so that viewers show the first operation without scrolling. */
function describe({ catalogue, selected }: Sources, assumptions: readonly Assumption[]): string {
  const models = [...selected.values()];
  const operations = models.reduce((sum, model) => sum + model.operations.length, 0);
  const felt = assumptions
    .filter(({ setting }) => FELT.some((name) => name === setting))
    .map(({ setting, value }) => `\`${setting}: ${showOption(value)}\``);
  return `${models.length === 1 ? '1 model' : `${models.length} models`} with ${operations} operations at \`${catalogue.base}/<model>\`.

\`x-basis\` marks each part as **stated** by the source, **inferred**, or **assumed**.

The source leaves many details open. A *profile* assumes an answer to each: ${felt.join(', ')}. \`x-assumptions\` lists all ${assumptions.length} settings. A service that behaves differently needs another profile.
`;
}

/** The answer of the document to a question that the source leaves open. */
type Assumption = Pick<SettingFacts, 'setting' | 'value' | 'section' | 'about'>;

/** Returns the settings of a profile, in their order. */
function assumptionsOf({ catalogue, profile }: Pick<Contract, 'catalogue' | 'profile'>): Assumption[] {
  return SETTINGS.map(({ name, section, about }) => ({
    setting: name,
    value: structuredClone(profile[name]),
    ...(catalogue.sections ? { section } : {}),
    about,
  }));
}
