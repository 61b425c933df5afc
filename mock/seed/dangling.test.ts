import { describe, expect, test } from 'vitest';
import { catalogue, startMock } from '../../testing/mocks/mocks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';

const directory = useDirectory();

describe('fixtures', () => {
  test('with links that lead nowhere are warned of, or refused', async () => {
    const path = directory.write(
      'a.yaml',
      'customer: [{ id: 1, deleted: true }]\nrelationship:\n- { id: 1, customer: 1,\n    customer2: 99, status: 1 }\n',
    );
    const dangling = [
      `${path}:3: relationship 1: customer must be the ID of a customer record, but there is no customer 1.`,
      `${path}:4: relationship 1: customer2 must be the ID of a customer record, but there is no customer 99.`,
    ];
    const fixtures = [path];
    const { mock } = await startMock({}, { fixtures, lenient: true });
    expect(mock.warnings).toEqual(dangling);
    await expect(startMock({}, { fixtures, lenient: true, checkLinks: true })).rejects.toThrow(
      dangling.join('\n'),
    );
    const demo = await startMock({}, { catalogue, fixtures: 'demo', checkLinks: true });
    expect(demo.mock.warnings).toEqual([]);
  });
});
