import { expect } from '@playwright/test';
import { createMockTest } from 'record-model-contract/mock/playwright';

const test = createMockTest();

test.beforeEach(async ({ mock, page }) => {
  await mock.setState({ crmContact: [{ name: 'Ana' }, { name: 'Lucía' }] });
  await page.goto('/');
});

test('the list shows what the search finds', async ({ page }) => {
  await expect(page.getByText('2 found')).toBeVisible();
  await page.getByLabel('Search').fill('LUCIA');
  await expect(page.getByText('1 found')).toBeVisible();
  await expect(page.getByRole('listitem')).toHaveText(['Lucía']);
});

test('the form shows what is wrong next to the field, then adds a contact', async ({ mock, page }) => {
  const add = page.getByRole('button', { name: 'Add' });
  await add.click();
  await expect(page.locator('[data-field=name]')).not.toBeEmpty();
  await page.getByLabel('Name').fill('Marta');
  await mock.fault({ match: { operation: 'createCrmContact' }, status: 503, times: 1 });
  await add.click();
  await expect(page.getByRole('status')).toHaveText(/produced this response/);
  await add.click();
  await expect(page.getByRole('status')).toHaveText('Added');
  await expect(page.getByRole('listitem')).toHaveText(['Ana', 'Lucía', 'Marta']);
  expect(await mock.count({ operation: 'createCrmContact' })).toBe(3);
});

test('the login needs the password', async ({ page }) => {
  await page.getByLabel('User').fill('ana');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('status')).toHaveText('The password is wrong.');
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByText('Logged in as ana')).toBeVisible();
});
