import type { OpenAPIV3_1 } from 'openapi-types';
import { describeModel } from './schemas/read-schema.ts';
import type { Sources } from './sources.ts';

/** The tags of a document; `x-tagGroups` puts those of models under their areas. */
export type Tags = {
  tags: OpenAPIV3_1.TagObject[];
  'x-tagGroups'?: { name: string; tags: string[] }[];
};

/** A tag for each area or each model that is wanted, in the order of the source. */
export function tagsOf({ catalogue, selected, tags }: Sources): Tags {
  const areas = catalogue.areas
    .map(({ name, about, models: names }) => ({
      name,
      about,
      own: names.flatMap((of) => selected.get(of) ?? []),
    }))
    .filter(({ own }) => own.length > 0);
  if (tags === 'area') return { tags: areas.map(({ name, about }) => ({ name, description: about })) };
  return {
    tags: areas.flatMap(({ own }) =>
      own.map((model) => ({ name: model.name, description: describeModel(model) })),
    ),
    'x-tagGroups': areas.map(({ name, own }) => ({ name, tags: own.map((model) => model.name) })),
  };
}
