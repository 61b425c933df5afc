/**
 * Measures the generation of the document, compared with writing it as JSON and reading it again. Prints the minimum of
 * several warm rounds.
 */
import { generateDocument } from '../../generator/generate.ts';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { loadReferences } from '../../spec/references.ts';

const ROUNDS = 20;

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const document = generateDocument({ catalogue, profile: DEFAULT_PROFILE, references });
const made = leastOf(() => generateDocument({ catalogue, profile: DEFAULT_PROFILE, references }));
const copied = leastOf(() => JSON.parse(JSON.stringify(document)));
process.stdout.write(`generate         ${made.toFixed(1)} ms for ${catalogue.models.size} models\n`);
process.stdout.write(`JSON and back    ${copied.toFixed(1)} ms for the same document\n`);
process.stdout.write(`ratio            ${(made / copied).toFixed(1)}\n`);

/** Milliseconds. */
function leastOf(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}
