import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import type { Results } from '../results/results.ts';
import { showDirections } from '../results/text.ts';
import { headline } from '../results/verdict.ts';
import { type PackedPage, pageData } from './page-data.ts';

/**
 * Renders the run as one HTML page that needs no network: the causes, a matrix of models and rule groups, the cases
 * with their exchanges, the statements of the source, and the coverage.
 */
export function renderHtml(results: Results): string {
  const style = readBuilt('report.css');
  const script = readBuilt('report.js').replaceAll('</', '<\\/');
  const title = escapeHtml(
    showDirections(
      `${results.catalogue.title} ${results.catalogue.version}: ${results.target}, ${headline(results)}`,
    ),
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
<div id="app"></div>
<script type="application/json" id="results">${embed(pageData(results))}</script>
<script>${script}</script>
</body>
</html>
`;
}

/**
 * Returns JSON for a script element. It contains no `<`, so it can't end the element or begin a comment. In its strings,
 * the page reads a character that changes the direction of text as the six characters of its escape.
 */
function embed(data: PackedPage): string {
  const shown = (_: string, value: unknown) => (typeof value === 'string' ? showDirections(value) : value);
  return JSON.stringify(data, shown).replaceAll('<', '\\u003c');
}

/** Reads the script or the styles of the page, which `npm ci` builds. Throws UsageError if they are missing. */
function readBuilt(name: string): string {
  const path = kitFile(`dist/web/report/${name}`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `The HTML report is not built: ${path} can't be read, because ${whyFailed(error)}. Run "npm ci" in the clone, or "npm run prepare".`,
    );
  }
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
