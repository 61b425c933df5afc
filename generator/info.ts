import type { OpenAPIV3_1 } from 'openapi-types';
import type { SettingName } from '../spec/profile/profile.ts';
import type { Assumption } from './assumptions.ts';
import type { Sources } from './sources.ts';
import type { OpenApiVersion } from './version.ts';

/** What the source does not say of the interface as a whole, and whoever publishes the document may. */
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

/** Title, version label and what a reader has to know. */
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
    // The source names nobody.
    contact: contact ?? { name: 'The operator of the service' },
    // That of this description, which the kit wrote; the source names none.
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
  return `${models.length === 1 ? '1 model' : `${models.length} models`}, ${operations} operations: \`${catalogue.base}/<model>\`.

\`x-basis\` keeps apart what the source **states**, what is **inferred** and what is **assumed**.

The source leaves much open. Assumed here: ${felt.join(', ')}; all ${assumptions.length} settings stand in \`x-assumptions\`. A service that differs speaks another profile.
`;
}
