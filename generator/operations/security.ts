import type { OpenAPIV3_1 } from 'openapi-types';
import type { Profile } from '../../spec/profile/profile.ts';

/** The credentials that every operation asks for; an empty requirement says that there are none. */
export function securityOf(profile: Profile): {
  security: OpenAPIV3_1.SecurityRequirementObject[];
  schemes: Record<string, OpenAPIV3_1.SecuritySchemeObject>;
} {
  const scheme = schemeOf(profile);
  if (!scheme) return { security: [], schemes: {} };
  return { security: [{ credentials: [] }], schemes: { credentials: scheme } };
}

function schemeOf(profile: Profile): OpenAPIV3_1.SecuritySchemeObject | undefined {
  const description = 'Assumed. The source does not show how clients authenticate.';
  switch (profile['auth.scheme']) {
    case 'none':
      return undefined;
    case 'bearer':
      return { type: 'http', scheme: 'bearer', description };
    case 'basic':
      return { type: 'http', scheme: 'basic', description };
    case 'apiKey':
      return { type: 'apiKey', in: 'header', name: profile['auth.header'], description };
  }
}
