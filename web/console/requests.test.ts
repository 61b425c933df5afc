import { expect } from 'vitest';
import { KEYBOARD, type OpenConsole, useBrowserConsole } from '../../testing/console/open-console.ts';
import { type StartedMock, serveMock } from '../../testing/mocks/control.ts';

const { open, openMock, test } = useBrowserConsole();

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

/** Sends a valid, an invalid, and a failing request. */
async function sendRequests({ ask, mock }: StartedMock): Promise<void> {
  await mock.fault({ match: { operation: 'createVoucher' }, status: 503, times: 1 });
  await ask('POST', '/api/model/brand', { name: 'Altura' });
  await ask('POST', '/api/model/locker', { name: 'A1', status: 7 });
  await ask('POST', '/api/model/voucher', {});
  await ask('GET', '/__mock/sessions/other/api/model/brand/1');
}

/** Opens the request of a row with the arrow keys in a list that has the focus. */
async function choose({ page }: OpenConsole, row: number): Promise<void> {
  await page.locator('.rows').focus();
  await page.keyboard.press('Home');
  for (let down = 0; down < row; down++) {
    // On a narrow page, the open request takes the place of the list.
    const back = page.getByRole('link', { name: 'All requests' });
    await back.press('Enter');
    await back.waitFor({ state: 'detached' });
    await page.locator('.rows').focus();
    await page.keyboard.press('ArrowDown');
  }
}

test('the request log shows new requests immediately, newest first, and details of one', async () => {
  await using shown = await openMock(KEYBOARD);
  const { mock, page } = shown;
  await page.getByText('No requests yet').waitFor();
  await sendRequests(mock);
  const rows = page.locator('.rows .row');
  await expect.poll(() => rows.count()).toBe(4);
  const paths = ['/brand/1', '/voucher', '/locker', '/brand'];
  expect(await rows.locator('.path').allTextContents()).toEqual(paths);
  expect(await rows.locator('.notes').nth(2).textContent()).toMatch(/^2 invalid/);
  expect(await rows.locator('.notes').nth(2).isVisible()).toBe(true);
  await choose(shown, 2);
  const marks = page.locator('.json mark');
  await expect
    .poll(() => marks.allTextContents())
    .toEqual(['type: is required', 'must be one of 0, 1, but is 7']);
  expect(await shown.problems()).toEqual([]);
  await shown.press(page.getByRole('link', { name: 'All requests' }));
  await choose(shown, 3);
  await shown.press(page.getByRole('link', { name: /^brand \d+$/ }));
  await page.getByRole('heading', { name: /^brand \d+ Altura$/ }).waitFor();
});

test('the request log filters by text, method, status, session, fault, violations, and time', async () => {
  await using mock = await serveMock();
  await sendRequests(mock);
  await using shown = await open(mock.url, KEYBOARD);
  const { page } = shown;
  const rows = page.locator('.rows .row');
  const count = (number: number) => expect.poll(() => rows.count()).toBe(number);
  const reset = () => page.getByRole('button', { name: 'Reset filters' }).click();
  await count(4);
  await page.getByLabel('Filter by path').fill('voucher');
  await count(1);
  await page.reload();
  await count(1);
  await reset();
  for (const [label, value] of [
    ['Filter by method', 'GET'],
    ['Filter by status', '4xx'],
    ['Filter by session', 'other'],
    ['Filter by fault', 'any'],
  ] as const) {
    await page.getByLabel(label).selectOption(value);
    await count(1);
    await reset();
    await count(4);
  }
  await shown.press(page.getByLabel('Violations'));
  await count(1);
  await reset();
  await page.getByLabel('Minimum duration').fill('60000');
  await count(0);
  await page.getByText('No request meets these filters').waitFor();
});

test('the request log can be used with the keyboard only, and cleared', async () => {
  await using mock = await serveMock();
  await sendRequests(mock);
  await using shown = await open(mock.url, { view: '/requests?ms=0' });
  const { page } = shown;
  const detail = page.getByRole('article', { name: 'Request' });
  await expect.poll(() => page.locator('.rows .row').count()).toBe(4);
  await page.locator('.rows').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await detail.getByText('POST /api/model/voucher').waitFor();
  await page.keyboard.press('End');
  await detail.getByText('POST /api/model/brand').waitFor();
  await page.keyboard.press('Home');
  await detail.getByText('GET /api/model/brand/1').waitFor();
  // Back leads to the list, however many requests were open.
  await page.goBack();
  await detail.waitFor({ state: 'detached' });
  expect(page.url()).toMatch(/#\/requests\?ms=0$/);
  await mock.ask('GET', '/api/model/brand/2');
  await expect.poll(() => page.locator('.rows .row').count()).toBe(5);
  await page.getByRole('button', { name: 'Clear the request log' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('No requests yet').waitFor();
  expect(await mock.mock.count()).toBe(0);
});

test('the request log can set another status and body for the next response to a request', async () => {
  await using mock = await serveMock();
  await mock.ask('POST', '/api/model/brand', { name: 'Altura' });
  await using shown = await open(mock.url, { ...KEYBOARD, view: '/requests/default/1' });
  const { page } = shown;
  await shown.press(page.getByRole('button', { name: 'Set the next response' }));
  await page.getByRole('spinbutton', { name: 'Status' }).fill('409');
  await page.getByLabel('Body').fill('{"reason":"taken"}');
  expect(await shown.problems()).toEqual([]);
  const add = page.getByRole('button', { name: 'Add this response' });
  await page.context().setOffline(true);
  await shown.press(add);
  await page.getByRole('dialog').getByText('The mock does not respond.').waitFor();
  expect(await mock.mock.faults()).toEqual([]);
  await page.context().setOffline(false);
  await shown.press(add);
  await page.getByText('The next createBrand gets 409').waitFor();
  const { body, status } = await mock.ask('POST', '/api/model/brand', { name: 'b' });
  expect([status, body]).toEqual([409, { reason: 'taken' }]);
  expect((await mock.ask('POST', '/api/model/brand', { name: 'b' })).status).toBe(201);
  await shown.go('/faults');
  await page.getByText('used up').waitFor();
});

test('the request log shows markup and scripts as text', async () => {
  await using mock = await serveMock();
  await mock.ask('POST', '/api/model/brand', { name: MARKUP });
  await mock.ask('GET', `/api/model/${encodeURIComponent(MARKUP)}?text=${encodeURIComponent(MARKUP)}`);
  await using shown = await open(mock.url, { view: '/requests/default/1' });
  const { page } = shown;
  await page.locator('.json').first().waitFor();
  expect(JSON.parse((await page.locator('.json').first().textContent()) ?? '')).toEqual({ name: MARKUP });
  await choose(shown, 0);
  await expect.poll(() => page.locator('.detail').textContent()).toContain('%3Cscript%3E');
  await shown.go('/records/brand');
  await expect.poll(() => page.locator('tbody').textContent()).toContain('<script>');
  expect(await page.locator('#app img, #app script').count()).toBe(0);
  expect(await page.title()).toContain('Mock console');
});
