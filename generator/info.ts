import type { OpenAPIV3_1 } from 'openapi-types';
import type { Catalogue } from '../spec/catalogue/catalogue.ts';
import type { Assumption } from './assumptions.ts';

/** Title, version label and what a reader has to know. The source names no contact and no licence. */
export function infoOf(catalogue: Catalogue, assumptions: readonly Assumption[]): OpenAPIV3_1.InfoObject {
  return {
    title: catalogue.title,
    version: catalogue.version,
    description: describe(catalogue, assumptions),
  };
}

function describe(catalogue: Catalogue, assumptions: readonly Assumption[]): string {
  const models = [...catalogue.models.values()];
  const operations = models.reduce((sum, model) => sum + model.operations.length, 0);
  return `Business records as ${models.length} named models with ${operations} operations, served over HTTP under \`${catalogue.base}/<model>\`.

## What is known, and how well

- **Stated** by the interface's description: models, fields, types, which fields are required or readonly, value lists, paths and methods. \`x-type\` names a field's type as stated.
- **Inferred**: which records an id refers to (\`x-reference\`, and "inferred" in a field's description).
- **Assumed**: everything in the table below. The description leaves it open, and a service that differs is not wrong: it speaks another profile.

## Assumptions

| Setting | Value | Left open in section | What it says |
|---|---|---|---|
${assumptions.map(row).join('\n')}
`;
}

function row({ setting, value, section, about }: Assumption): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return `| \`${setting}\` | \`${cell(text)}\` | ${cell(section)} | ${cell(about)} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}
