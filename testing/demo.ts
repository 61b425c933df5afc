import { loadFixtures } from '../fixtures/fixtures.ts';

/** The demo club, read once for all tests of a worker: most of them take less time than its YAML. */
export const demo = loadFixtures('demo');
