import { describe, expect, test } from 'vitest';
import { NO_BROWSER } from '../../testing/browser.ts';
import { KEYBOARD, type OpenConsole, useBrowserConsole } from '../../testing/console/open-console.ts';
import { type StartedMock, serveMock } from '../../testing/mocks/control.ts';

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

/** Sends a valid, an invalid, and a failing request. */
async function sendRequests({ ask, mock }: StartedMock): Promise<void> {
  await mock.fault({ match: { operation: 'createVoucher' }, status: 503, times: 1 });
  await ask('POST', '/api/model/brand', { name: 'Altura' });
  await ask('POST', '/api/model/locker', { name: 'A1', status: 7 });
  await ask('POST', '/api/model/voucher', {});
  await ask('GET', '/__mock/sessions/other/api/model/brand/1');
}

/** Opens the request of a row: with a click, or with the arrow keys in a list that has the focus. */
async function choose({ by, page }: OpenConsole, row: number): Promise<void> {
  if (by === 'mouse') return page.locator('.rows .row').nth(row).click();
  await page.locator('.rows').focus();
  await page.keyboard.press('Home');
  for (let down = 0; down < row; down++) {
    // On a narrow page, the open request takes the place of the list.
    await page.getByRole('link', { name: 'All requests' }).press('Enter');
    await page.locator('.rows').focus();
    await page.keyboard.press('ArrowDown');
  }
}

describe.skipIf(NO_BROWSER)('the request log', () => {
  const open = useBrowserConsole();

  test('shows new requests at once, newest first, and one in detail', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, KEYBOARD);
    const { page } = shown;
    await page.getByText('No requests yet').waitFor();
    await sendRequests(mock);
    const rows = page.locator('.rows .row');
    await expect.poll(() => rows.count()).toBe(4);
    expect(await rows.locator('.path').allTextContents()).toEqual([
      '/brand/1',
      '/voucher',
      '/locker',
      '/brand',
    ]);
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

  test('filters by text, method, status, session, fault, violations, and time', async () => {
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
    await page.getByLabel('Filter by method').selectOption('GET');
    await count(1);
    await reset();
    await page.getByLabel('Filter by status').selectOption('4xx');
    await count(1);
    await reset();
    await page.getByLabel('Filter by session').selectOption('other');
    await count(1);
    await reset();
    await page.getByLabel('Filter by fault').selectOption('any');
    await count(1);
    await reset();
    await shown.press(page.getByLabel('Violations'));
    await count(1);
    await reset();
    await page.getByLabel('Minimum duration').fill('60000');
    await count(0);
    await page.getByText('No request meets these filters').waitFor();
    await reset();
    await count(4);
  });

  test('works by keyboard only', async () => {
    await using mock = await serveMock();
    await sendRequests(mock);
    await using shown = await open(mock.url);
    const { page } = shown;
    await expect.poll(() => page.locator('.rows .row').count()).toBe(4);
    await page.locator('.rows').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('article', { name: 'Request' }).getByText('POST /api/model/voucher').waitFor();
    await page.keyboard.press('End');
    await page.getByRole('article', { name: 'Request' }).getByText('POST /api/model/brand').waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('article', { name: 'Request' }).getByText('GET /api/model/brand/1').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pause');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.getByRole('button', { name: 'Clear the request log' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('No requests yet').waitFor();
    expect(await mock.mock.count()).toBe(0);
  });

  test('pauses, and shows the waiting requests when it goes on', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, KEYBOARD);
    const { page } = shown;
    await page.getByText('No requests yet').waitFor();
    await shown.press(page.getByRole('button', { name: 'Pause' }));
    await sendRequests(mock);
    await page.getByText('0 requests, 4 new').waitFor();
    await shown.press(page.getByRole('button', { name: 'Resume' }));
    await expect.poll(() => page.locator('.rows .row').count()).toBe(4);
  });

  test('answers a request the next time with another status and body', async () => {
    await using mock = await serveMock();
    await sendRequests(mock);
    await using shown = await open(mock.url, { ...KEYBOARD, view: '/requests/default/1' });
    const { page } = shown;
    await shown.press(page.getByRole('button', { name: 'Answer this the next time with' }));
    await page.getByRole('spinbutton', { name: 'Status' }).fill('409');
    await page.getByLabel('Body').fill('{"reason":"taken"}');
    expect(await shown.problems()).toEqual([]);
    await shown.press(page.getByRole('button', { name: 'Add this answer' }));
    await page.getByText('The next createBrand gets 409').waitFor();
    const { body, status } = await mock.ask('POST', '/api/model/brand', { name: 'b' });
    expect([status, body]).toEqual([409, { reason: 'taken' }]);
    expect((await mock.ask('POST', '/api/model/brand', { name: 'b' })).status).toBe(201);
  });

  test('exports the requests as HAR', async () => {
    await using mock = await serveMock();
    await sendRequests(mock);
    await using shown = await open(mock.url, KEYBOARD);
    const waiting = shown.page.waitForEvent('download');
    await shown.press(shown.page.getByRole('button', { name: 'Export HAR' }));
    const stream = await (await waiting).createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const { log } = JSON.parse(Buffer.concat(chunks).toString());
    expect(log.version).toBe('1.2');
    expect(log.entries).toHaveLength(4);
  });

  test('shows markup and scripts as text', async () => {
    await using mock = await serveMock();
    await mock.ask('POST', '/api/model/brand', { name: MARKUP });
    await mock.ask('GET', `/api/model/${encodeURIComponent(MARKUP)}?text=${encodeURIComponent(MARKUP)}`);
    await using shown = await open(mock.url, { view: '/requests/default/1' });
    const { page } = shown;
    await page.locator('.json').first().waitFor();
    expect(await page.locator('.json').first().textContent()).toContain('<script>');
    await choose(shown, 0);
    await expect.poll(() => page.locator('.detail').textContent()).toContain('%3Cscript%3E');
    await shown.go('/records/brand');
    await expect.poll(() => page.locator('tbody').textContent()).toContain('<script>');
    expect(await page.locator('#app img, #app script').count()).toBe(0);
    expect(await page.title()).toContain('Mock console');
  });

  test('stays quick with 10,000 requests', async () => {
    await using mock = await serveMock({ journal: 10_000 });
    for (let sent = 0; sent < 10_000; sent++)
      await mock.mock.fetch(new Request(`${mock.url}/api/model/brand/1`));
    await using shown = await open(mock.url);
    const { page } = shown;
    await page.getByText('10,000 requests').waitFor();
    expect(await page.locator('.rows .row').count()).toBeLessThan(80);
    await page.locator('.rows').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.url()).toMatch(/requests\/default\/1$/);
    await page.getByRole('article', { name: 'Request' }).waitFor();
    await page.getByLabel('Filter by path').fill('brand/1');
    await page.getByText('10,000 requests').waitFor();
    await page.getByLabel('Filter by path').fill('none');
    await page.getByText('0 of 10,000 requests').waitFor();
  });
});
