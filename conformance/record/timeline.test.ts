import { expect, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { sampleExchange } from '../../testing/sample-results.ts';
import { createTies, startTimeline } from './timeline.ts';

const contract = loadContract();

test('an update of its parent explains that a line is gone until a retrieve shows the line', () => {
  const [parent, line] = ['stockOrder', 'stockOrderLine'].map((name) => contract.catalogue.models.get(name));
  if (!parent || !line) throw new Error('The catalogue lacks a model.');
  const ties = createTies(contract);
  const created = { asked: 0, at: 1, exchange: sampleExchange() };
  const timeline = startTimeline(line, 1, new Map(), created, contract);
  expect(ties.mayDelete(timeline)).toBe(false);
  ties.begin({ model: parent, operation: 'update', id: 2, sent: new Map() }).at = 2;
  expect(ties.mayDelete(timeline)).toBe(true);
  timeline.read = 3;
  expect(ties.mayDelete(timeline)).toBe(false);
});
