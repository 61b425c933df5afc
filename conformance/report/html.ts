import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import type { Results } from '../results/results.ts';
import { headline } from '../results/verdict.ts';
import { type PackedPage, pageData } from './page-data.ts';

const STYLES = ['colors', 'base', 'head', 'causes', 'matrix', 'cases', 'ledger', 'narrow'];
/** The parts of one script, in their order. Each part uses the earlier ones. */
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
 * Renders the run as one HTML page that needs no network: the causes, a matrix of models and rule groups, the cases
 * with their exchanges, the statements of the source, and the coverage.
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

/** Returns JSON for a script element. It contains no `<`, so it can't end the element or begin a comment. */
function embed(data: PackedPage): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function readPart(name: string): string {
  // A browser converts line ends to \n before it compares the hash.
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
