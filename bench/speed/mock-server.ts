/**
 * Runs the mock in a separate process with warehouses. Sends its address to the parent, and its memory and processor time
 * on request.
 *
 *   node bench/speed/mock-server.ts mock RECORDS
 */
import { createMock } from '../../mock/mock.ts';

// The first word is for checkouts from before, which had two kinds.
const [, count] = process.argv.slice(2);
const records = Array.from({ length: Number(count) }, (_, index) => ({
  id: index + 1,
  name: `Warehouse ${index + 1}`,
  comments: 'Left of the door',
}));
const mock = await createMock({ fixtures: new Map([['warehouse', records]]) });
const { url } = await mock.listen();
process.on('message', () => process.send?.({ rss: process.memoryUsage().rss, cpu: process.cpuUsage() }));
process.send?.({ url });
