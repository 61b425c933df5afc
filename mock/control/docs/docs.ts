import { readFile } from 'node:fs/promises';
import { swaggerUiFile } from '../../../generator/export/swagger-ui.ts';
import { kitFile } from '../../../spec/files/kit-file.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { PAGE_POLICY } from '../../console/console.ts';
import type { ServedReply } from '../../http/http.ts';
import type { Action } from '../action.ts';

const DOCUMENTS = ['contract', 'control'];

/** Swagger UI sets styles through the DOM, which the policy allows. Its style sheet has icons as `data:` URLs. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API documents of the mock</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css"><link rel="stylesheet" href="docs/docs.css">
<script src="docs/swagger-ui-bundle.js" defer></script><script src="docs/docs.js" defer></script>
<nav aria-label="Documents"><a id="contract" href="docs">Contract</a><a id="control" href="docs?document=control">Control API</a></nav>
<main id="document"></main>
</html>
`;

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/** The files of the page by their names, each with its media type and its path, which is read on use. */
const FILES: Readonly<Record<string, readonly [type: string, path: (name: string) => string]>> = {
  'docs.js': [SCRIPT, ownFile],
  'docs.css': [STYLE, ownFile],
  'swagger-ui-bundle.js': [SCRIPT, swaggerUiFile],
  'swagger-ui-bundle.js.LICENSE.txt': [TEXT, swaggerUiFile],
  'swagger-ui.css': [STYLE, swaggerUiFile],
};

type Page = Action<never, ServedReply>;

/** The page that shows the documents of the mock with Swagger UI, and its files. */
export const DOCS_PAGES: readonly Page[] = [
  {
    route: 'GET /docs',
    summary: 'Return the page with the documents of the contract and of the control API.',
    query: {
      document: { description: 'The document to show.', schema: { type: 'string', enum: DOCUMENTS } },
    },
    answers: { 200: 'The page.' },
    read: ({ document }) => {
      if (document !== undefined && !DOCUMENTS.includes(document))
        throw new UsageError(unexpected('value', document, DOCUMENTS, 'of document'));
      return {};
    },
    run: async () => ({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PAGE_POLICY,
        'cache-control': 'no-store',
      },
      body: PAGE,
    }),
    write: (reply) => reply,
  },
  ...Object.entries(FILES).map(
    ([name, [type, pathOf]]): Page => ({
      route: `GET /docs/${name}`,
      summary: `Return ${name}.`,
      answers: { 200: 'The file.' },
      run: async () => ({
        status: 200,
        headers: { 'content-type': type, 'cache-control': 'private, max-age=3600' },
        body: await readFile(pathOf(name), 'utf8'),
      }),
      write: (reply) => reply,
    }),
  ),
];

function ownFile(name: string): string {
  return kitFile(`mock/control/docs/${name}`);
}
