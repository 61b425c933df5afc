import { type Credentials, readCredentials } from '../../conformance/target/credentials.ts';
import { checkProxyUrl } from '../../conformance/target/place.ts';
import type { TargetOptions } from '../../conformance/target/target.ts';
import { terminal } from '../terminal/terminal.ts';
import type { ConnectionOptions } from './connection-options.ts';

const VARIABLES = {
  bearer: 'RECORD_MODEL_BEARER',
  basic: 'RECORD_MODEL_BASIC',
  apiKey: 'RECORD_MODEL_API_KEY',
} as const;

/** Returns the credentials of the flags, else of the environment variables. An empty variable counts as unset. */
export function credentialsOf(options: ConnectionOptions): Credentials {
  const { apiKey, basic, bearer, header } = options;
  if ((bearer ?? basic ?? apiKey) !== undefined) return readCredentials({ bearer, basic, apiKey, header });
  const [fromBearer, fromBasic, fromApiKey] = [VARIABLES.bearer, VARIABLES.basic, VARIABLES.apiKey].map(
    (name) => terminal().env[name] || undefined,
  );
  return readCredentials({ bearer: fromBearer, basic: fromBasic, apiKey: fromApiKey, header }, VARIABLES);
}

/** Returns the HTTP proxy of the usual environment variables. */
export function proxyOfEnvironment(): TargetOptions['proxy'] {
  const { env } = terminal();
  const [http, https, none] = ['http_proxy', 'https_proxy', 'no_proxy'].map((small) => {
    const name = env[small] === undefined ? small.toUpperCase() : small;
    return { name, value: env[name] };
  });
  for (const proxy of [http, https]) if (proxy?.value) checkProxyUrl(proxy.value, proxy.name);
  if (!http?.value && !https?.value) return undefined;
  return { http: http?.value ?? '', https: https?.value ?? '', none: none?.value ?? '' };
}
