import { createMockTest } from 'record-model-contract/mock/vitest';
import { describe, expect } from 'vitest';
import { createBrands } from './brands.js';

const test = createMockTest({ fixtures: { brand: [{ id: 1, name: 'Altura' }] } });

describe.concurrent('brands', () => {
  test('are added', async ({ mock }) => {
    const brands = createBrands(mock.url);
    await brands.add('Bosque');
    expect(await brands.names()).toEqual(['Altura', 'Bosque']);
    expect(await mock.count({ operation: 'createBrand' })).toBe(1);
  });

  test('of another test are not seen', async ({ mock }) => {
    expect(await createBrands(mock.url).names()).toEqual(['Altura']);
  });

  test('need a name', async ({ mock }) => {
    await expect(createBrands(mock.url).add(undefined)).rejects.toThrow('/name is required');
  });

  test('can fail to come', async ({ mock }) => {
    await mock.fault({ match: { model: 'brand' }, status: 503, times: 1 });
    const brands = createBrands(mock.url);
    await expect(brands.names()).rejects.toThrow("can't be shown now (503)");
    expect(await brands.names()).toEqual(['Altura']);
  });
});
