/** The console when the mock is away, when values are not saved, and by the palette of each view. */
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { useBrowserConsole } from '../../testing/console/open-console.ts';
import { demo } from '../../testing/demo.ts';
import { serveMock } from '../../testing/mocks/control.ts';

const { open, openMock, test } = useBrowserConsole();

/** Views with a text that only the second mock shows. */
const VIEWS = [
  ['/requests', '/customer/1'],
  ['/records/brand', '777 records'],
  ['/faults', '503 for listBrand'],
  ['/contract/profile', '1 setting differs'],
] as const;
const LOST = 'The values that you have entered will be lost.';

test('the console reports that the mock does not respond, and shows the data of a restarted mock', async () => {
  const first = await createMock({ fixtures: demo });
  const { url } = await first.listen();
  await fetch(`${url}/api/model/brand/1`);
  await using stack = new AsyncDisposableStack();
  const pages: { page: Page; text: string }[] = [];
  for (const [view, text] of VIEWS) {
    const { page } = stack.use(await open(url, { view }));
    await expect.poll(() => page.locator('#main').textContent()).not.toMatch(/^(Loading…)?$/);
    pages.push({ page, text });
  }
  await first.close();
  for (const { page } of pages) await page.getByText('The mock does not respond.').first().waitFor();
  const second = await createMock({ fixtures: demo, profile: { 'list.paging': 'page' } });
  try {
    const brand = Array.from({ length: 777 }, (_, index) => ({ id: index + 1, name: 'a' }));
    await second.setState({ brand });
    await second.fault({ match: { operation: 'listBrand' }, status: 503 });
    await second.listen({ port: Number(new URL(url).port) });
    await fetch(`${url}/api/model/customer/1`);
    for (const { page, text } of pages) {
      await page.getByText(text).locator('visible=true').first().waitFor();
      await page.getByText('The mock does not respond.').waitFor({ state: 'detached' });
    }
    expect(await pages[0]?.page.locator('.rows .path').allTextContents()).toEqual(['/customer/1']);
  } finally {
    await second.close();
  }
});

test('the palette has the actions of each view, even if they appear later, and those on the session', async () => {
  await using mock = await serveMock();
  await mock.mock.session('other').setState({});
  await mock.mock.fault({ status: 503 });
  await mock.ask('GET', '/api/model/brand/1');
  await using shown = await open(mock.url);
  const { page } = shown;
  // A key that comes before the palette is closed would not open it again.
  const close = async () => {
    await page.keyboard.press('Escape');
    // A role is gone when the dialog is hidden, and the page removes it a moment later.
    await page.locator('dialog.picker').waitFor({ state: 'detached' });
  };
  const find = async (titles: readonly string[]) => {
    await page.keyboard.press('Control+k');
    for (const title of titles) {
      await page.getByRole('combobox', { name: 'Find a view' }).fill(title);
      await expect
        .poll(() => page.getByRole('listbox').getByRole('option').allTextContents())
        .toContainEqual(expect.stringContaining(title));
    }
    await close();
  };
  await page.getByRole('button', { name: 'Find' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('records voucher');
  await page.getByRole('listbox').getByRole('option').first().waitFor();
  expect(await shown.problems()).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'voucher', exact: true }).waitFor();
  expect(new URL(page.url()).hash).toMatch(/^#\/records\/voucher/);
  for (const [view, ...own] of [
    ['/requests/default/1', 'Clear the request log', 'Set the next response'],
    ['/records', 'Download all as fixtures'],
    ['/records/brand', 'Make 50 brand records', 'New brand', 'Columns'],
    ['/records/brand/1', 'Duplicate this brand', 'Delete this brand'],
    ['/sessions', 'Delete session other'],
    ['/contract/brand', 'Use dark colors'],
  ] as const) {
    await shown.go(view);
    await find(own);
  }
  // The button of the fault appears while the palette is open.
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/faults', (route) => promise.then(() => route.continue()));
  await shown.go('/faults');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a view' }).fill('Delete fault 1');
  await page.getByText('No command has these words.').waitFor();
  resolve();
  await page.getByRole('option', { name: 'Delete fault 1' }).waitFor();
  await close();
  await find([
    'Reset the session',
    'Clear the request log',
    'Delete all faults',
    'Advance the clock by 1 day',
    'Switch to other',
    'New customer',
    'Swagger UI',
  ]);
});

test('the console follows an address that changes while the page loads', async () => {
  await using shown = await openMock();
  const { mock, page } = shown;
  await page.addInitScript(`
    if (location.origin === '${mock.url}') new MutationObserver((_, observer) => {
      if (!document.getElementById('main')) return;
      observer.disconnect();
      location.hash = '#/records/brand/1';
    }).observe(document, { childList: true, subtree: true });`);
  await page.reload();
  await page.getByRole('heading', { name: /^brand 1 / }).waitFor();
});

test('the console asks before it leaves a form with unsaved values, and only then', async () => {
  await using mock = await serveMock();
  await mock.mock.session('other').setState({ brand: [{ id: 1, name: 'other' }] });
  await using shown = await open(mock.url, { view: '/records/brand' });
  const { page } = shown;
  await page.getByRole('link', { name: '1', exact: true }).click();
  const name = page.getByLabel('name');
  const save = page.getByRole('button', { name: 'Save' });
  await name.fill('Not saved');
  const stay = async () => {
    await page.getByText(LOST).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(LOST).waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Not saved');
    expect(page.url()).toMatch(/#\/records\/brand\/1$/);
  };
  await page.getByRole('link', { name: 'Sessions' }).click();
  await stay();
  await page.goBack();
  await stay();
  await page.getByLabel('Session', { exact: true }).selectOption('other');
  await stay();
  expect(await page.getByLabel('Session', { exact: true }).inputValue()).toBe('default');
  await page.getByRole('link', { name: 'Sessions' }).click();
  await shown.confirm('Discard the changes');
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  expect(await mock.mock.records('brand').get(1)).not.toMatchObject({ name: 'Not saved' });

  await shown.go('/records/brand/1');
  await name.fill('One');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => save.isDisabled()).toBe(true);
  await name.fill('Two');
  await save.click();
  await page.getByText('brand 1 is saved.').waitFor();
  await expect.poll(() => save.isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'Sessions' }).click();
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  expect(await mock.mock.records('brand').get(1)).toMatchObject({ name: 'Two' });
});
