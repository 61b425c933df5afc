import { describe, expect, test } from 'vitest';
import { NO_BROWSER } from '../../testing/browser.ts';
import { KEYBOARD, useBrowserConsole } from '../../testing/console/open-console.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { SOURCE } from '../../testing/source-facts.ts';

describe.skipIf(NO_BROWSER)('records in the console', () => {
  const open = useBrowserConsole();

  test('lists all models by area with their counts, and finds one', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records' });
    const { page } = shown;
    await page.getByRole('link', { name: 'brand', exact: true }).waitFor();
    expect(await page.locator('.areas section').count()).toBe(SOURCE.totals.areas);
    expect(await page.locator('.areas li').count()).toBe(SOURCE.totals.models);
    const counts = await mock.mock.countRecords();
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'customer', exact: true }) });
    await expect.poll(() => row.textContent()).toBe(`customer${counts.customer}`);
    await page.getByLabel('Filter models').fill('locker');
    await expect.poll(() => page.locator('.areas li').count()).toBe(3);
  });

  test('creates, edits, duplicates, and deletes a record in a form, and undoes it', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/locker' });
    const { page } = shown;
    const records = mock.mock.records('locker');
    await shown.press(page.getByRole('link', { name: 'New record' }));
    await page.getByLabel('name', { exact: false }).first().fill('A1');
    await shown.press(page.getByRole('button', { name: 'Create' }));
    await page.getByText('is required').first().waitFor();
    expect(await page.locator('.wrong').count()).toBeGreaterThan(0);
    expect(await shown.problems()).toEqual([]);
    await shown.press(page.getByRole('button', { name: 'Fill with generated values' }));
    await expect.poll(() => page.getByLabel('type').first().inputValue()).not.toBe('');
    await page.getByLabel('name', { exact: false }).first().fill('A1');
    await shown.press(page.getByRole('button', { name: 'Create' }));
    await page.getByRole('heading', { name: /^locker \d+ A1$/ }).waitFor();
    const id = Number(/locker\/(\d+)/.exec(page.url())?.[1]);
    expect(await records.get(id)).toMatchObject({ name: 'A1' });
    await page.getByLabel('name', { exact: false }).first().fill('A2');
    await shown.press(page.getByRole('button', { name: 'Save' }));
    await page.getByText(`locker ${id} is saved.`).waitFor();
    expect(await records.get(id)).toMatchObject({ name: 'A2' });
    await shown.press(page.getByRole('status').getByRole('button', { name: 'Undo' }));
    await page.getByRole('heading', { name: `locker ${id} A1` }).waitFor();
    expect(await records.get(id)).toMatchObject({ name: 'A1' });
    await shown.press(page.getByRole('link', { name: 'Duplicate' }));
    await expect.poll(() => page.getByLabel('name', { exact: false }).first().inputValue()).toBe('A1');
    await shown.press(page.getByRole('button', { name: 'Create' }));
    await page.getByText(/locker \d+ is created/).waitFor();
    const before = (await mock.mock.countRecords()).locker ?? 0;
    await shown.press(page.getByRole('button', { name: 'Delete' }));
    await page.getByText(/locker \d+ is deleted/).waitFor();
    expect((await mock.mock.countRecords()).locker).toBe(before - 1);
    await shown.press(page.getByRole('status').getByRole('button', { name: 'Undo' }));
    await expect.poll(async () => (await mock.mock.countRecords()).locker).toBe(before);
  });

  test('creates a record by keyboard only', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { view: '/records/brand' });
    const { page } = shown;
    await page.getByRole('link', { name: 'New record' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New brand' }).waitFor();
    await page.locator('form input').first().focus();
    await page.keyboard.type('Altura');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^brand \d+ Altura$/ }).waitFor();
    expect((await mock.mock.records('brand').list()).records.map(({ name }) => name)).toContain('Altura');
  });

  test('sorts, filters, and pages in the mock, with 100,000 records', async () => {
    await using mock = await serveMock({
      fixtures: 'none',
      records: { brand: 100_000 },
      seed: 1,
      maxMemory: 1500,
    });
    await using shown = await open(mock.url, { view: '/records/brand' });
    const { page } = shown;
    await page.getByText('100,000 records').waitFor();
    const ids = page.locator('tbody td:first-child');
    expect(await ids.first().textContent()).toBe('1');
    expect(await ids.count()).toBe(50);
    await shown.press(page.getByRole('button', { name: 'Next page' }));
    await expect.poll(() => ids.first().textContent()).toBe('51');
    await page.getByRole('button', { name: 'id', exact: true }).waitFor();
    await shown.press(page.getByRole('button', { name: 'id', exact: true }));
    await shown.press(page.getByRole('button', { name: 'id', exact: true }));
    await expect.poll(() => ids.first().textContent()).toBe('100000');
    expect(await page.getByRole('columnheader', { name: 'id' }).getAttribute('aria-sort')).toBe('descending');
    await page.getByLabel('Filter by field').selectOption('id');
    await page.getByLabel('Condition').selectOption('lte');
    await page.getByLabel('Value').fill('7');
    await shown.press(page.getByRole('button', { name: 'Filter', exact: true }));
    await page.getByText('7 records', { exact: true }).waitFor();
    expect(await ids.allTextContents()).toEqual(['7', '6', '5', '4', '3', '2', '1']);
    await page.reload();
    await page.getByText('7 records', { exact: true }).waitFor();
    await shown.press(page.getByRole('button', { name: 'Remove the filter' }));
    await page.getByText('100,000 records').waitFor();
  });

  test('shows value lists with labels, and follows links in both directions', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/stockOrder' });
    const { page } = shown;
    await page
      .locator('tbody')
      .getByText(/^(Abierto|Enviado|Parcialmente recibido|Recibido) \(\d\)$/)
      .first()
      .waitFor();
    await page
      .locator('tbody')
      .getByTitle(/^supplier \d+$/)
      .first()
      .click();
    await page.getByRole('heading', { name: /^supplier \d+/ }).waitFor();
    const back = page.getByRole('link', { name: /^[\d,]+ stock orders? of this supplier$/ });
    await shown.press(back);
    await page.getByRole('heading', { name: 'stockOrder' }).waitFor();
    await page.getByText(/^supplier = \d+/).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(0);
  });

  test('makes 50, undoes them, and shows deleted records on request', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/customer' });
    const { page } = shown;
    const { customer = 0 } = await mock.mock.countRecords();
    await shown.press(page.getByRole('button', { name: 'Make 50' }));
    await page.getByText('50 records created.').waitFor();
    await expect.poll(async () => (await mock.mock.countRecords()).customer).toBe(customer + 50);
    await shown.press(page.getByRole('status').getByRole('button', { name: 'Undo' }));
    await expect.poll(async () => (await mock.mock.countRecords()).customer).toBe(customer);
    await mock.mock.records('customer').delete(1);
    await shown.press(page.getByLabel('Deleted records'));
    await expect.poll(() => page.locator('tr.deleted').count()).toBeGreaterThan(0);
    await shown.press(page.getByRole('link', { name: '1', exact: true }));
    await page.getByText('deleted', { exact: true }).first().waitFor();
  });

  test('copies a record as a fixture, and downloads all as fixtures that load', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/brand/1' });
    const { page } = shown;
    await shown.press(page.getByRole('button', { name: 'Copy as fixture' }));
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = JSON.parse(await shown.copied());
    await mock.mock.session('one').setState(copied);
    expect(await mock.mock.session('one').countRecords()).toMatchObject({ brand: 1 });
    await shown.go('/records');
    const waiting = page.waitForEvent('download');
    await shown.press(page.getByRole('button', { name: 'Download all as fixtures' }));
    const chunks: Buffer[] = [];
    for await (const chunk of await (await waiting).createReadStream()) chunks.push(chunk as Buffer);
    await mock.mock.session('two').setState(JSON.parse(Buffer.concat(chunks).toString()));
    expect(await mock.mock.session('two').countRecords()).toEqual(await mock.mock.countRecords());
  });
});
