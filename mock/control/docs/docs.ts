import { readFile } from 'node:fs/promises';
import { swaggerUiFile } from '../../../generator/export/swagger-ui.ts';
import { kitFile } from '../../../spec/files/kit-file.ts';
import { pageHeaders, TYPES } from '../../console/console.ts';
import type { ServedReply } from '../../http/http.ts';
import type { Action } from '../action.ts';
import { given, oneOf } from '../schema.ts';

/** The files of the page by their names, each with the function that finds it. They are read on use. */
const FILES: Readonly<Record<string, (name: string) => string>> = {
  'docs.js': ownFile,
  'docs.css': ownFile,
  'swagger-ui-bundle.js': swaggerUiFile,
  'swagger-ui-bundle.js.LICENSE.txt': swaggerUiFile,
  'swagger-ui.css': swaggerUiFile,
};

function serve(
  path: string,
  file: () => string,
  headers: ServedReply['headers'],
): Action<never, ServedReply> {
  return {
    route: `GET /${path}`,
    summary: `Return ${path}.`,
    answers: { 200: 'The file.' },
    run: async () => ({ status: 200, headers, body: await readFile(file(), 'utf8') }),
    write: (reply) => reply,
  };
}

/** The page that shows the documents of the mock with Swagger UI, and its files. */
export const DOCS_PAGES: readonly Action<never, ServedReply>[] = [
  {
    ...serve('docs', () => ownFile('docs.html'), pageHeaders()),
    query: { document: given('The document to show.', oneOf('contract', 'control')) },
  },
  ...Object.entries(FILES).map(([name, pathOf]) =>
    serve(`docs/${name}`, () => pathOf(name), {
      'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? '',
      'cache-control': 'private, max-age=3600',
    }),
  ),
];

function ownFile(name: string): string {
  return kitFile(`mock/control/docs/${name}`);
}
