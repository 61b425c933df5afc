import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import { asksForPage, type MockRequest, type ServedReply, splitTarget } from '../http/http.ts';

/** The media types of the files of pages, by their endings. */
export const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

/** The policy of the pages of the mock: only files and the API of the same origin, and no inline script or style. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the page of the console (at `/` and `/__mock/`) or one of its files; undefined for other requests. */
export function showConsole(request: MockRequest): ServedReply | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  if (asksForPage(request)) return writePage('./');
  if (!request.target.startsWith('/__mock')) return undefined;
  const [path] = splitTarget(request.target);
  if (path === '/__mock') return writePage('./');
  if (path === '/__mock/') return writePage('../');
  const [, name, ending = ''] = /^\/__mock\/console\/([\w-]+\.(js|css))$/.exec(path) ?? [];
  const body = name === undefined ? undefined : readBuilt(`__mock/console/${name}`);
  if (body === undefined) return undefined;
  return {
    status: 200,
    headers: {
      'content-type': TYPES[ending] ?? '',
      // The name contains a hash of the content.
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

export function pageHeaders(): ServedReply['headers'] {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_POLICY,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
}

/** Returns the page. `root` is the way from it to the root of its session. */
function writePage(root: './' | '../'): ServedReply {
  const page = readBuilt('index.html');
  if (page === undefined)
    return {
      status: 503,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'The console is not built. Run "npm ci" in the clone, or "npm run prepare".\n',
    };
  return {
    status: 200,
    headers: pageHeaders(),
    body: page.replaceAll('"./', `"${root}`),
  };
}

/** Returns a built file, which `npm ci` writes; undefined if there is none. */
function readBuilt(name: string): string | undefined {
  try {
    return readFileSync(kitFile(`dist/web/console/${name}`), 'utf8');
  } catch {
    return undefined;
  }
}
