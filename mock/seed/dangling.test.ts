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
      `${path}:3: relationship 1: customer is 1; expected the id of a customer record`,
      `${path}:4: relationship 1: customer2 is 99; expected the id of a customer record`,
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
