import type { ContractDocument } from '../generate.ts';

/** The parts of Swagger UI that a page holds. */
export type Renderer = { readonly script: string; readonly style: string };

/**
 * One page that shows the document and asks nobody for anything until a reader sends a request: renderer and document
 * stand in it. Pure.
 */
export function exportHtml(document: ContractDocument, { script, style }: Renderer): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="record-model export html">
<title>${escapeHtml(`${document.info.title} ${document.info.version}`)}</title>
<link rel="icon" href="data:,">
<!-- Swagger UI, Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0 -->
<style>
${style.replace(/\/\*# sourceMappingURL.*?\*\//, '').replaceAll(/<\/(style)/gi, '<\\/$1')}
</style>
</head>
<body>
<div id="document"></div>
<script>
${script.replaceAll(/<(\/script|!--)/gi, '<\\$1')}
</script>
<script>
SwaggerUIBundle({
  domNode: document.getElementById('document'),
  spec: ${JSON.stringify(document).replaceAll('<', '\\u003c')},
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  // The validator would be asked on the network.
  validatorUrl: null,
});
</script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
