/** Faults, the clock, sessions, snapshots, forwarding, and the contract in the console. */
import { expect } from 'vitest';
import { KEYBOARD, useBrowserConsole } from '../../testing/console/open-console.ts';
import { serveMock } from '../../testing/mocks/control.ts';

const { openMock, test } = useBrowserConsole();

test('the console adds a fault, counts its hits, disables it, deletes it, and restores it', async () => {
  await using shown = await openMock({ ...KEYBOARD, view: '/faults' });
  const { mock, page } = shown;
  await page.getByLabel('Operation').fill('createBrnd');
  await shown.press(page.getByRole('button', { name: 'Add this fault' }));
  await page.getByText('Did you mean "createBrand"?').waitFor();
  await page.getByLabel('Operation').fill('createBrand');
  await page.getByLabel('Requests').selectOption('every');
  await page.getByLabel('Number').fill('2');
  await shown.press(page.getByRole('button', { name: 'Add this fault' }));
  const fault = page.getByRole('switch', { name: 'Fault 1: 503 for createBrand, each 2nd request' });
  await fault.waitFor();
  const create = async () => (await mock.ask('POST', '/api/model/brand', { name: 'a' })).status;
  expect([await create(), await create()]).toEqual([201, 503]);
  await page.getByText('1 hit', { exact: true }).waitFor();
  await shown.press(fault);
  await expect.poll(async () => (await mock.mock.faults())[0]?.enabled).toBe(false);
  expect([await create(), await create()]).toEqual([201, 201]);
  expect(await shown.problems()).toEqual([]);
  await shown.press(page.getByRole('button', { name: 'Delete fault 1' }));
  await page.getByText('This session has no faults').waitFor();
  await shown.press(page.getByRole('status').getByRole('button', { name: 'Undo' }));
  await page.getByText('503 for createBrand').waitFor();
  expect(await mock.mock.faults()).toMatchObject([{ status: 503, match: { operation: 'createBrand' } }]);
});

test('the console offers templates for faults, and stops, advances, and sets the clock', async () => {
  await using shown = await openMock({ view: '/faults' }, { now: '2025-10-22T09:30:00Z' });
  const { mock, page } = shown;
  for (const [at, [name, effect]] of (
    [
      ['drop-after', { drop: 'after' }],
      ['limit', { status: 429, headers: { 'retry-after': '30' } }],
    ] as const
  ).entries()) {
    await page.getByLabel('Kind').selectOption(name);
    await page.getByLabel('Operation').fill('model brand');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await mock.mock.faults()).length).toBe(at + 1);
    expect((await mock.mock.faults())[at]).toMatchObject({ match: { model: 'brand' }, ...effect });
  }
  await shown.press(page.getByRole('button', { name: 'Stop the clock' }));
  await page.getByText('stopped', { exact: true }).waitFor();
  await page.getByLabel('Set to (UTC)').fill('2030-01-02T03:04:05');
  await shown.press(page.getByRole('button', { name: 'Set', exact: true }));
  await page.getByText('2030-01-02 03:04:05 UTC').waitFor();
  await shown.press(page.getByRole('button', { name: '1 day' }));
  await page.getByText('2030-01-03 03:04:05 UTC').waitFor();
  expect((await mock.mock.clock.now()).toISOString()).toBe('2030-01-03T03:04:05.000Z');
});

test('the console creates, switches, resets, and deletes a session, and restores a snapshot', async () => {
  await using shown = await openMock({ ...KEYBOARD, view: '/sessions' });
  const { mock, page } = shown;
  await page.getByLabel('Name of the new snapshot').fill('base');
  await page.keyboard.press('Enter');
  await page.getByText('The snapshot base is saved.').waitFor();
  const name = page.getByLabel('Name of the new session');
  for (const [wrong, reason] of [
    ['my session', 'Use 1 to 64 of these characters'],
    ['default', 'The session "default" exists already.'],
  ] as const) {
    await name.fill(wrong);
    await shown.press(page.getByRole('button', { name: 'Create session' }));
    await page.locator('.form-row', { has: name }).getByText(reason).waitFor();
    expect(await name.inputValue()).toBe(wrong);
  }
  expect(await shown.problems()).toEqual([]);
  await name.fill('worker');
  await page.getByLabel('Records').selectOption('base');
  await shown.press(page.getByRole('button', { name: 'Create session' }));
  await page.getByText('The session worker is created.').waitFor();
  await page.getByText(`from snapshot base, ${mock.url}/__mock/sessions/worker`).waitFor();
  await shown.press(page.getByRole('main').getByRole('button', { name: 'Switch to worker' }));
  const brands = mock.mock.session('worker').records('brand');
  await brands.update(1, { name: 'other' });
  await shown.press(page.getByRole('button', { name: 'Reset the session' }));
  await page.getByText('Its records, IDs, clock, faults, and request log').waitFor();
  expect(await shown.problems()).toEqual([]);
  await shown.confirm('Cancel');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await brands.get(1)).toMatchObject({ name: 'other' });
  // The palette of another view asks too.
  await shown.press(page.getByRole('link', { name: 'Requests' }));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('reset the session');
  await page.keyboard.press('Enter');
  await shown.confirm('Reset');
  await page.getByText('The session is as it was at its start.').waitFor();
  expect(await brands.get(1)).not.toMatchObject({ name: 'other' });
  await shown.press(page.getByRole('link', { name: 'Sessions' }));
  await shown.press(page.getByRole('button', { name: 'Delete session worker' }));
  await shown.confirm('Delete');
  await page.getByText('The session worker is deleted.').waitFor();
  expect(await mock.mock.sessions()).toEqual(['default']);
  await mock.mock.records('brand').delete(1);
  await shown.press(page.getByRole('button', { name: 'Restore' }));
  await shown.confirm('Restore');
  await page.getByText('base is restored.').waitFor();
  expect(await mock.mock.records('brand').get(1)).toBeDefined();
  await shown.press(page.getByRole('button', { name: 'Delete snapshot base' }));
  await shown.confirm('Delete');
  await page.getByText('The snapshot base is deleted.').waitFor();
});

test('the console turns forwarding to the service off, and selects its models', async () => {
  await using real = await serveMock();
  await using shown = await openMock(
    { ...KEYBOARD, view: '/faults' },
    { forward: { url: real.url, models: ['brand'] } },
  );
  const { mock, page } = shown;
  await page.getByText(`${real.url} answers the models below, only GET requests.`).waitFor();
  await shown.press(page.getByRole('switch', { name: 'Forward to the real service' }));
  await expect.poll(async () => (await mock.mock.forward()).enabled).toBe(false);
  await page.getByLabel('Models').fill('brand, customer');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await mock.mock.forward()).models).toEqual(['brand', 'customer']);
  await page.getByLabel('Models').fill('brnd');
  await page.keyboard.press('Enter');
  await page.getByText('Did you mean "brand"?').waitFor();
});

test('the console shows fields with their basis and the profile, and changes a setting', async () => {
  await using shown = await openMock({ ...KEYBOARD, view: '/contract/stockOrder' });
  const { mock, page } = shown;
  const row = page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: 'status', exact: true }) });
  await row.waitFor();
  const text = await row.textContent();
  for (const part of ['select', 'required', '0 Abierto', '3 Recibido', '2.1; 3', 'stated', 'form assumed'])
    expect(text).toContain(part);
  await page.getByText('Stock, section 2.1').waitFor();
  await page.getByText('An order of goods, with lines, dates, and delivery').waitFor();
  expect(await shown.problems()).toEqual([]);
  await shown.press(
    page.getByRole('navigation', { name: 'Contract' }).getByRole('link', { name: 'Profile' }),
  );
  await page.getByText('All settings have their defaults.').waitFor();
  await page.getByLabel('Filter settings').fill('delete.effect');
  await page.getByText('The effect of a delete. mark sets the field deleted', { exact: false }).waitFor();
  await page.getByLabel('Filter settings').fill('');
  await page.getByLabel('Value of status.created in this session').selectOption('200');
  await page.getByText('1 setting differs from the defaults: status.created.').waitFor();
  await page.getByLabel('Value of request.unknownFields in this session').selectOption('ignore');
  await page.getByText('2 settings differ from the defaults').waitFor();
  expect((await page.locator('.settings code').allTextContents())[0]).toMatch(
    /^(request.unknown|status.crea)/,
  );
  expect((await mock.ask('POST', '/api/model/brand', { name: 'x' })).status).toBe(200);
  const other = await mock.ask('POST', '/api/model/brand', { name: 'x' }, { 'x-mock-session': 'b' });
  expect(other.status).toBe(201);
  expect(await page.getByLabel('Value of types.bool in this session').count()).toBe(0);
});
