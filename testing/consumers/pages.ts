import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { exportContract } from '../../generator/export/export.ts';
import { OPENAPI_VERSIONS } from '../../generator/version.ts';
import { createMock } from '../../mock/mock.ts';
import { openBrowser } from '../browser.ts';
import { opened, type Served, serve as serveHere } from '../services/http-server.ts';
import { type Consumer, type ConsumerTrial, type Outcome, selectionOf } from './consumer.ts';
import { toolPath } from './tools.ts';

const SWAGGER_UI = join(import.meta.dirname, '../../node_modules/swagger-ui-dist');
const WIDTH = 1280;
const HEIGHT = 900;
/** The most milliseconds until a page of the kit shows the first operation of all models. */
const LONGEST = 4000;

/** A page that shows the document, and its line with the path of the first operation. */
type Viewer = {
  /** Whether the page is one of the kit, which chooses the version of OpenAPI itself. */
  readonly isOwn?: true;
  readonly open: (trial: ConsumerTrial) => Promise<Served>;
  readonly first: (page: Page) => ReturnType<Page['locator']>;
};

const VIEWERS: Readonly<Record<string, Viewer>> = {
  'export html, Swagger UI': {
    isOwn: true,
    open: async ({ contract, models, records }) => {
      const options = { renderer: readRenderer, records, selection: selectionOf(models) };
      return serve(await exportContract('html', contract, options), new Map());
    },
    first: (page) => page.locator('.opblock'),
  },
  'mock docs, Swagger UI': {
    isOwn: true,
    open: async ({ contract, records }) => {
      const mock = await createMock({ ...contract, fixtures: records });
      const { url } = await mock.listen();
      return { url: `${url}/__mock/docs`, close: () => mock.close() };
    },
    first: (page) => page.locator('.opblock'),
  },
  Redoc: {
    open: async ({ document }) => {
      const script = readFileSync(toolPath('redoc/bundles/redoc.standalone.js'), 'utf8');
      return serve(
        REDOC,
        new Map([
          ['/redoc.js', script],
          ['/openapi.json', JSON.stringify(document)],
        ]),
      );
    },
    first: (page) => page.locator('[id*="operation/"] h2'),
  },
};

/** Viewers of documents, in Chromium at 1280×900: the first operation has to be in sight without scrolling. */
export const VIEWED_PAGES: readonly Consumer[] = Object.entries(VIEWERS).map(([name, viewer]) => ({
  name,
  done: 'rendered; milliseconds until the first operation is in sight',
  versions: viewer.isOwn ? ['3.1'] : OPENAPI_VERSIONS,
  // A limit in milliseconds can't be checked next to other programs.
  isQuick: false,
  run: (trial) => view(viewer, trial),
}));

async function view({ first, isOwn, open }: Viewer, trial: ConsumerTrial): Promise<Outcome> {
  await using browser = await openBrowser();
  await using served = await opened(open(trial));
  const faults: string[] = [];
  const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.route('**', (route) =>
    new URL(route.request().url()).origin === new URL(served.url).origin ? route.continue() : route.abort(),
  );
  const start = performance.now();
  await page.goto(served.url);
  const [path = ''] = Object.keys(trial.document.paths);
  const operation = first(page).first();
  await operation.waitFor({ timeout: 60_000 });
  const count = Math.round(performance.now() - start);
  const box = await operation.boundingBox();
  const bottom = Math.round((box?.y ?? Number.NaN) + (box?.height ?? 0));
  if (!(bottom <= HEIGHT)) faults.push(`${path} ends at ${bottom} pixels`);
  if (isOwn && count > LONGEST)
    faults.push(`the first operation is in sight after ${count} ms, not ${LONGEST} ms`);
  return { count, faults };
}

const REDOC = `<!doctype html><html><head><meta charset="utf-8"></head><body style="margin:0"><div id="page"></div>
<script src="/redoc.js"></script><script>Redoc.init('/openapi.json', {}, document.getElementById('page'))</script></body></html>`;

function readRenderer() {
  const read = (name: string) => readFileSync(join(SWAGGER_UI, name), 'utf8');
  return { script: read('swagger-ui-bundle.js'), style: read('swagger-ui.css') };
}

function serve(page: string, files: ReadonlyMap<string, string>): Promise<Served> {
  return serveHere((asked, reply) => {
    const file = files.get(`${asked.url}`);
    if (file === undefined) reply.setHeader('content-type', 'text/html');
    reply.end(file ?? page);
  });
}
