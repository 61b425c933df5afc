/** The inputs of a record, and the table that leads to it. */
import { describe, expect, test } from 'vitest';
import { NO_BROWSER } from '../../testing/browser.ts';
import { KEYBOARD, useBrowserConsole } from '../../testing/console/open-console.ts';
import { serveMock } from '../../testing/mocks/control.ts';

describe.skipIf(NO_BROWSER)('records in the console', () => {
  const open = useBrowserConsole();

  test('show the names of linked records, and find another one', async () => {
    await using mock = await serveMock();
    const orders = mock.mock.records('stockOrder');
    const [first] = (await orders.list()).records;
    const suppliers = (await mock.mock.records('supplier').list()).records;
    const nameOf = (id: unknown) => String(suppliers.find((one) => one.id === id)?.name);
    const other = suppliers.find((one) => one.id !== first?.supplier);
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/stockOrder' });
    const { page } = shown;
    await page
      .locator('tbody tr')
      .first()
      .getByRole('link', { name: `${nameOf(first?.supplier)} (${first?.supplier})` })
      .waitFor();
    await shown.go(`/records/stockOrder/${first?.id}`);
    await shown.press(page.getByRole('button', { name: 'Choose supplier' }));
    await page.getByRole('combobox', { name: 'Find a record of supplier' }).fill(nameOf(other?.id));
    await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(1);
    expect(await shown.problems()).toEqual([]);
    await page.keyboard.press('Enter');
    await page
      .locator('form')
      .getByRole('link', { name: `${nameOf(other?.id)} (${other?.id})` })
      .waitFor();
    await shown.press(page.getByRole('button', { name: 'Save' }));
    await page.getByText(/^stockOrder \d+ is saved.$/).waitFor();
    expect(await orders.get(Number(first?.id))).toMatchObject({ supplier: other?.id });
  });

  test('have inputs for days, times, and durations', async () => {
    await using mock = await serveMock();
    const types = mock.mock.records('voucherType');
    await types.update(1, { daysOfWeek: [1, 2], startTime: '09:30:00', expiration: 'P30D' });
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/voucherType/1' });
    const { page } = shown;
    await shown.press(page.getByRole('button', { name: 'Tue' }));
    await shown.press(page.getByRole('button', { name: 'Sun' }));
    await page.getByLabel('startTime').fill('10:00');
    await page.getByLabel('expiration').fill('2');
    await page.getByLabel('Unit').selectOption('weeks');
    expect(await shown.problems()).toEqual([]);
    await shown.press(page.getByRole('button', { name: 'Save' }));
    await page.getByText('voucherType 1 is saved.').waitFor();
    expect(await types.get(1)).toMatchObject({
      daysOfWeek: [1, 7],
      startTime: '10:00:00',
      expiration: 'P2W',
    });
  });

  test('keep Save in view, however far the form is scrolled', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/customer/1' });
    const { page } = shown;
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    await page.locator('#main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
    const box = await save.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(300);
  });

  test('open with a click anywhere in their row, and have the columns that the reader chooses', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { view: '/records/customer' });
    const { page } = shown;
    await page.getByRole('columnheader', { name: 'firstName' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Hide all' }).click();
    await page.getByLabel('lastName', { exact: true }).check();
    expect(await shown.problems()).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await expect.poll(() => page.getByRole('columnheader').allTextContents()).toEqual(['id ', 'lastName ']);
    await page.locator('tbody tr').nth(1).locator('td').last().click();
    await page.getByRole('heading', { name: /^customer 2 / }).waitFor();
  });

  test('are found by one search in all texts', async () => {
    await using mock = await serveMock();
    await mock.mock.records('customer').update(3, { city: 'Punta Alta' });
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/customer' });
    const { page } = shown;
    await page.getByRole('searchbox').fill('punta al');
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.getByRole('link', { name: '3', exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('no such text');
    await page.getByText('No record meets these filters.').waitFor();
  });
});
