import type { Contract } from '../../spec/contract.ts';
import { describeProfile } from '../../spec/profile/profile.ts';
import type { MockRequest, ServedReply } from '../http/http.ts';
import type { RecordedRequest } from './journal/journal-view.ts';

export type PageFacts = Pick<Contract, 'catalogue' | 'profile'> & {
  readonly session: string;
  /** The address of the mock, relative to that of the page. */
  readonly root: './' | '../';
  /** How many records each model has. */
  readonly counts: ReadonlyMap<string, number>;
  /** The last requests, the newest last. */
  readonly requests: readonly RecordedRequest[];
};

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2rem; } h3 { margin: 1rem 0 0; font-size: 1rem; }
.models { columns: 16rem; } section { break-inside: avoid; padding-top: 0.1px; } ul { list-style: none; margin: 0; padding: 0; }
li, td { font-variant-numeric: tabular-nums; } .count { color: #666; } code, td { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; } td { padding: 0.1rem 1rem 0.1rem 0; vertical-align: top; }
td:not(:last-child) { white-space: nowrap; } .bad { color: #b00020; }
@media (max-width: 40rem) { tr { display: block; margin-bottom: 0.5rem; } td { overflow-wrap: anywhere; } td:not(:last-child) { white-space: normal; }
  td, td:last-child:empty { display: inline; } td:last-child { display: block; } }
@media (prefers-color-scheme: dark) { body { background: #16181d; color: #e6e6e6; } a { color: #8ab4f8; }
  .count { color: #aaa; } .bad { color: #ff8a80; } }`;

/** Whether a person opens the address of the mock in a browser. */
export function asksForPage({ headers, method, target }: MockRequest): boolean {
  return method === 'GET' && target === '/' && /\btext\/html\b/.test(headers.accept ?? '');
}

/** Writes the page of the mock. It runs no script, and its links lead to the same session. */
export function writePage(facts: PageFacts): ServedReply {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
      'cache-control': 'no-store',
    },
    body: render(facts),
  };
}

function render({ catalogue, counts, profile, requests, root, session }: PageFacts): string {
  const base = catalogue.base.slice(1);
  const areas = catalogue.areas.map(({ about, models, name }) => {
    const items = models.map(
      (model) =>
        html`<li><a href="${base}/${model}">${model}</a> <span class="count">${counts.get(model) ?? 0}</span></li>`,
    );
    return html`<section><h3 title="${about}">${name}</h3><ul>${items}</ul></section>`;
  });
  const settings = describeProfile(profile);
  const rows = requests.toReversed().map(({ detail = '', method, ms, path, status, violations = [] }) => {
    const wrong =
      violations.map(({ message, ...at }) => `${Object.values(at)} ${message}`).join('. ') || detail;
    const kind = status === 0 || status >= 400 ? 'bad' : '';
    return html`<tr class="${kind}"><td>${method} ${path}</td><td>${status || 'dropped'}</td><td>${ms} ms</td><td>${wrong}</td></tr>`;
  });
  const title = `Mock of ${catalogue.title} ${catalogue.version}`;
  const page = html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<base href="${root}"><link rel="icon" href="data:,">
<style>${{ html: STYLE }}</style>
<h1>${title}</h1>
<p>Session: <code>${session}</code> · OpenAPI document: <a href="openapi.json">JSON</a>,
<a href="openapi.yaml">YAML</a> · Control API: <a href="__mock/openapi.json">document</a>,
<a href="__mock/state">state</a>, <a href="__mock/requests">requests</a></p>
<h2>Models</h2><div class="models">${areas}</div>
<h2>Profile</h2>
<p>${settings.length === 0 ? 'The default profile.' : 'The default profile, except:'}</p>
<ul>${settings.map((setting) => html`<li><code>${setting}</code></li>`)}</ul>
<h2>Last requests</h2>
${rows.length === 0 ? html`<p>No requests yet.</p>` : html`<table>${rows}</table>`}
</html>
`;
  return page.html;
}

type Html = { readonly html: string };

/** Returns HTML. Escapes values that are not HTML themselves. */
function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const written = values.map((value) => {
    if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
    return [value]
      .flat()
      .map((one) => one.html)
      .join('');
  });
  return { html: String.raw({ raw: parts }, ...written) };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}
