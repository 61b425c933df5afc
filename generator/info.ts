import type { OpenAPIV3_1 } from 'openapi-types';
import type { SettingName } from '../spec/profile/profile.ts';
import type { Assumption } from './assumptions.ts';
import type { Sources } from './sources.ts';
import type { OpenApiVersion } from './version.ts';

/** Facts about the API that the source omits and the publisher of the document can add. */
export type Publication = {
  readonly title?: string;
  readonly contact?: OpenAPIV3_1.ContactObject;
  readonly license?: OpenAPIV3_1.LicenseObject;
};

/** The settings that every client meets first; the others stand in `x-assumptions`. */
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
  'auth.scheme',
];

/** Returns the title, the version label, and an introduction. */
export function infoOf(
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
    .map(({ setting, value }) => `\`${setting}: ${value}\``);
  return `${models.length === 1 ? '1 model' : `${models.length} models`} with ${operations} operations at \`${catalogue.base}/<model>\`.

\`x-basis\` marks each part as **stated** by the source, **inferred**, or **assumed**.

The source leaves many details open. A *profile* assumes an answer to each: ${felt.join(', ')}. \`x-assumptions\` lists all ${assumptions.length} settings. A service that behaves differently needs another profile.
`;
}
