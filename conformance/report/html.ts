import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import type { Results } from '../results/results.ts';
import { headline } from '../results/verdict.ts';
import { type PackedPage, pageData } from './page-data.ts';

const STYLES = ['colors', 'base', 'head', 'causes', 'matrix', 'cases', 'ledger', 'narrow'];
/** Parts of one script, in the order they run: each sees what stands before it. */
const SCRIPTS = [
  'dom',
  'state',
  'head',
  'filters',
  'causes',
  'matrix',
  'exchange',
  'cases',
  'ledger',
  'page',
];

/**
 * The run as one HTML page that asks the network for nothing: what would have to be mended, a matrix of models and rule
 * groups, the cases with their exchanges, the statements of the source and the coverage.
 */
export function renderHtml(results: Results): string {
  const style = STYLES.map((name) => readPart(`${name}.css`)).join('\n');
  const script = `(() => {\n'use strict';\n${SCRIPTS.map((name) => readPart(`${name}.js`)).join('\n')}})();`;
  const title = escapeHtml(
    `${results.catalogue.title} ${results.catalogue.version}: ${results.target}, ${headline(results)}`,
  );
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<noscript><p>${title}. This page needs JavaScript, which is disabled.</p></noscript>
<script type="application/json" id="results">${embed(pageData(results))}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON inside a script element: without `<` nothing in it can end the element or begin a comment. */
function embed(data: PackedPage): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function readPart(name: string): string {
  // A browser reads line ends as \n before it compares the hash.
  return readFileSync(kitFile(`conformance/report/html/${name}`), 'utf8').replaceAll('\r\n', '\n');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
