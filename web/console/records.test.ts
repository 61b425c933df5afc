import { expect } from 'vitest';
import { KEYBOARD, useBrowserConsole } from '../../testing/console/open-console.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { SOURCE } from '../../testing/source-facts.ts';

const { open, openMock, test } = useBrowserConsole();

test('records are listed by model and area with counts, and load from a copied or downloaded fixture', async () => {
  await using shown = await openMock({ ...KEYBOARD, view: '/records' });
  const { mock, page } = shown;
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
  const waiting = page.waitForEvent('download');
  await shown.press(page.getByRole('button', { name: 'Download all as fixtures' }));
  const chunks: Buffer[] = [];
  for await (const chunk of await (await waiting).createReadStream()) chunks.push(chunk as Buffer);
  await mock.mock.session('two').setState(JSON.parse(Buffer.concat(chunks).toString()));
  expect(await mock.mock.session('two').countRecords()).toEqual(counts);
  await shown.go('/records/brand/1');
  await shown.press(page.getByRole('button', { name: 'Copy as fixture' }));
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await mock.mock.session('one').setState(JSON.parse(await shown.copied()));
  expect(await mock.mock.session('one').countRecords()).toMatchObject({ brand: 1 });
});

test('records are created, edited, duplicated, and deleted in a form', async () => {
  await using shown = await openMock({ ...KEYBOARD, view: '/records/locker' });
  const { mock, page } = shown;
  const records = mock.mock.records('locker');
  const name = page.getByLabel('name', { exact: false }).first();
  await shown.press(page.getByRole('link', { name: 'New record' }));
  await name.fill('A1');
  await page.keyboard.press('Enter');
  await page.getByText('is required').first().waitFor();
  await expect.poll(() => page.locator('[aria-invalid=true]:focus').count()).toBe(1);
  expect(await page.locator('.wrong').count()).toBeGreaterThan(0);
  expect(await shown.problems()).toEqual([]);
  await shown.press(page.getByRole('button', { name: 'Fill with generated values' }));
  await expect.poll(() => page.getByLabel('type').first().inputValue()).not.toBe('');
  await name.fill('A1');
  await shown.press(page.getByRole('button', { name: 'Create' }));
  await page.getByRole('heading', { name: /^locker \d+ A1$/ }).waitFor();
  const id = Number(/locker\/(\d+)/.exec(page.url())?.[1]);
  expect(await records.get(id)).toMatchObject({ name: 'A1' });
  await name.fill('A2');
  await shown.press(page.getByRole('button', { name: 'Save' }));
  await page.getByText(`locker ${id} is saved.`).waitFor();
  expect(await records.get(id)).toMatchObject({ name: 'A2' });
  const slow = Promise.withResolvers<void>();
  await page.route(`**/records/locker/${id}`, async (route) => {
    await slow.promise;
    await route.continue();
  });
  await shown.press(page.getByRole('link', { name: 'Duplicate' }));
  await page.getByText('Loading…').waitFor();
  slow.resolve();
  await page.getByRole('heading', { name: 'New locker' }).waitFor();
  await expect.poll(() => name.inputValue()).toBe('A2');
  await shown.press(page.getByRole('button', { name: 'Create' }));
  await page.getByText(/locker \d+ is created/).waitFor();
  const before = (await mock.mock.countRecords()).locker ?? 0;
  await shown.press(page.getByRole('button', { name: 'Delete' }));
  await shown.confirm('Cancel');
  expect((await mock.mock.countRecords()).locker).toBe(before);
  await shown.press(page.getByRole('button', { name: 'Delete' }));
  await shown.confirm('Delete');
  await page.getByText(/locker \d+ is deleted/).waitFor();
  expect((await mock.mock.countRecords()).locker).toBe(before - 1);
});

test('records are sorted, filtered, and paged by the mock, with numbers on the right', async () => {
  await using shown = await openMock(
    { view: '/records/brand' },
    { fixtures: 'none', records: { brand: 1200 }, seed: 1 },
  );
  const { page } = shown;
  await page.getByText('1,200 records').waitFor();
  const ids = page.locator('tbody td:first-child');
  expect(await ids.first().textContent()).toBe('1');
  expect(await ids.count()).toBe(50);
  const alignOf = (name: string) =>
    page.getByRole('columnheader', { name }).evaluate((head) => getComputedStyle(head).textAlign);
  expect([await alignOf('id'), await alignOf('name')]).toEqual(['right', 'left']);
  await shown.press(page.getByRole('button', { name: 'Next page' }));
  await expect.poll(() => ids.first().textContent()).toBe('51');
  await shown.press(page.getByRole('button', { name: 'id', exact: true }));
  await shown.press(page.getByRole('button', { name: 'id', exact: true }));
  await expect.poll(() => ids.first().textContent()).toBe('1200');
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
  await page.getByText('1,200 records').waitFor();
});

test('records show labels of value lists and names of linked records, and link to them and back', async () => {
  await using mock = await serveMock();
  const orders = mock.mock.records('stockOrder');
  const [first] = (await orders.list()).records;
  const suppliers = (await mock.mock.records('supplier').list()).records;
  const shownAs = (id: unknown) => `${suppliers.find((one) => one.id === id)?.name} (${id})`;
  const other = suppliers.find((one) => one.id !== first?.supplier);
  await using shown = await open(mock.url, { ...KEYBOARD, view: '/records/stockOrder' });
  const { page } = shown;
  const labels = /^(Abierto|Enviado|Parcialmente recibido|Recibido) \(\d\)$/;
  await page.locator('tbody').getByText(labels).first().waitFor();
  const link = page.getByRole('link', { name: shownAs(first?.supplier) });
  await shown.press(page.locator('tbody tr').first().locator(link));
  await page.getByRole('heading', { name: /^supplier \d+/ }).waitFor();
  await shown.press(page.getByRole('link', { name: /^[\d,]+ stock orders? of this supplier$/ }));
  await page.getByText(/^supplier = \d+/).waitFor();
  await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(0);
  await shown.go(`/records/stockOrder/${first?.id}`);
  await shown.press(page.getByRole('button', { name: 'Choose supplier' }));
  await page.getByRole('combobox', { name: 'Find a record of supplier' }).fill(String(other?.name));
  await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(1);
  expect(await shown.problems()).toEqual([]);
  await page.keyboard.press('Enter');
  await page
    .locator('form')
    .getByRole('link', { name: shownAs(other?.id) })
    .waitFor();
  await shown.press(page.getByRole('button', { name: 'Save' }));
  await page.getByText(/^stockOrder \d+ is saved.$/).waitFor();
  expect(await orders.get(Number(first?.id))).toMatchObject({ supplier: other?.id });
});

test('records have a search, selected columns, and open with a click on their row', async () => {
  await using mock = await serveMock();
  await mock.mock.records('customer').update(3, { city: 'Punta Alta' });
  await using shown = await open(mock.url, { view: '/records/customer' });
  const { page } = shown;
  await page.getByRole('searchbox').fill('no such text');
  await page.getByText('No record meets these filters.').waitFor();
  await page.getByRole('searchbox').fill('punta al');
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Hide all' }).click();
  await page.getByLabel('lastName', { exact: true }).check();
  expect(await shown.problems()).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await page.getByText('1 record', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('columnheader').allTextContents()).toEqual(['id ', 'lastName ']);
  await page.locator('tbody tr').first().locator('td').last().click();
  await page.getByRole('heading', { name: /^customer 3 / }).waitFor();
  // Save stays in view, however far the form is scrolled.
  const save = page.getByRole('button', { name: 'Save' });
  await page.locator('#main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
  const box = await save.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(300);
});

test('records have inputs for days, times, and durations', async () => {
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
  const expected = { daysOfWeek: [1, 7], startTime: '10:00:00', expiration: 'P2W' };
  expect(await types.get(1)).toMatchObject(expected);
});

test('records can be generated in groups of 50, and deleted ones can be shown', async () => {
  await using shown = await openMock({ ...KEYBOARD, view: '/records/customer' });
  const { mock, page } = shown;
  const { customer = 0 } = await mock.mock.countRecords();
  await shown.press(page.getByRole('button', { name: 'Make 50' }));
  await page.getByText('50 records created.').waitFor();
  expect((await mock.mock.countRecords()).customer).toBe(customer + 50);
  await mock.mock.records('customer').delete(1);
  await shown.press(page.getByLabel('Deleted records'));
  await expect.poll(() => page.locator('tr.deleted').count()).toBeGreaterThan(0);
  await shown.press(page.getByRole('link', { name: '1', exact: true }));
  await page.getByText('deleted', { exact: true }).first().waitFor();
});
