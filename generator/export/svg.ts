import { instance } from '@viz-js/viz';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { type Entities, type EntityLink, notationOf } from './entities.ts';

/** An entity diagram as SVG, laid out by Graphviz: lines of records drawn through, inferred links dashed. Pure. */
export async function exportSvg(entities: Entities): Promise<string> {
  const graphviz = await instance();
  return graphviz.renderString(toDot(entities), { format: 'svg', engine: 'dot' });
}

/** Its letters are as wide in every monospaced font, so that names fit their cells wherever they are looked at. */
const FONT = 'Courier';

/** The port of a model's name; no field is called so. */
const HEAD = ' ';

function toDot({ areas, links, title }: Entities): string {
  const legend =
    'drawn through: lines of records (stated) · dashed: links (inferred) · bold: required · italic: readonly';
  return [
    'digraph {',
    `graph [rankdir=LR, fontname="${FONT}", labelloc=t, ranksep=0.9, nodesep=0.25,`,
    `  label=<<b>${escapeText(title)}</b><br/><font point-size="10">${escapeText(legend)}</font>>]`,
    `node [shape=plain, fontname="${FONT}", fontsize=10]`,
    `edge [fontname="${FONT}", fontsize=8, color="#44546a"]`,
    ...areas.flatMap(({ models, name }, index) => [
      `subgraph cluster_${index} {`,
      `label=<<b>${escapeText(name)}</b>>; style=rounded; color="#b0b8c4"`,
      ...models.map((model) => `${quote(model.name)} [label=<${table(model)}>]`),
      '}',
    ]),
    ...links.map(edge),
    '}',
  ].join('\n');
}

function table({ fields, name }: Model): string {
  const head = `<tr><td colspan="2" port="${HEAD}" bgcolor="#dde6f0"><b>${escapeText(name)}</b></td></tr>`;
  return `<table border="0" cellborder="1" cellspacing="0" cellpadding="3" color="#8a94a3">${head}${fields.map(row).join('')}</table>`;
}

function row(field: Field): string {
  const name = escapeText(field.name);
  const bold = field.required ? `<b>${name}</b>` : name;
  const shown = field.readonly ? `<i>${bold}</i>` : bold;
  return `<tr><td align="left">${shown}</td><td align="left" port=${quote(field.name)}><font color="#5b6675">${escapeText(notationOf(field).type)}</font></td></tr>`;
}

function edge({ basis, field, from, many, to }: EntityLink): string {
  const look = basis === 'stated' ? 'style=solid, penwidth=1.4' : 'style=dashed';
  return `${quote(from)}:${quote(field)}:e -> ${quote(to)}:${quote(HEAD)}:w [${look}, arrowhead=${many ? 'crow' : 'vee'}, tooltip=${quote(`${from}.${field} (${basis})`)}]`;
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
