import { expect } from '@playwright/test';
import { createMockTest } from 'record-model-contract/mock/playwright';

const test = createMockTest();

test.beforeEach(({ mock }) => mock.setState({ brand: [{ id: 1, name: 'Altura' }] }));

for (const name of ['Bosque', 'Cierzo'])
  test(`${name} is added, and seen by this worker alone`, async ({ mock, page }) => {
    await page.goto('/');
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button').click();
    await expect(page.getByRole('status')).toHaveText('Added');
    await expect(page.getByRole('listitem')).toHaveText(['Altura', name]);
    expect(await mock.state(['brand'])).toMatchObject({ brand: [{ name: 'Altura' }, { name }] });
    expect(await mock.count({ operation: 'createBrand' })).toBe(1);
  });

test('what is wrong is shown', async ({ mock, page }) => {
  await page.goto('/');
  await page.getByRole('button').click();
  await expect(page.getByRole('status')).toHaveText('/name is required.');
  await mock.fault({ match: { operation: 'createBrand' }, status: 503 });
  await page.getByRole('button').click();
  await expect(page.getByRole('status')).toHaveText(/produced this response/);
});
