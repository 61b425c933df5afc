/** The console when the mock is away, when a name is wrong, and by the keyboard in each view. */
import type { Page } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { NO_BROWSER } from '../../testing/browser.ts';
import { useBrowserConsole } from '../../testing/console/open-console.ts';
import { demo } from '../../testing/demo.ts';
import { serveMock } from '../../testing/mocks/control.ts';

/** Each view with a text that only the second mock shows. */
const VIEWS = [
  ['/records', '777'],
  ['/records/brand', '777 records'],
  ['/records/brand/1', 'From the second mock'],
  ['/faults', '503 for listBrand'],
  ['/sessions', 'from-the-second'],
  ['/contract/profile', '1 setting differs'],
] as const;

describe.skipIf(NO_BROWSER)('the console', () => {
  const open = useBrowserConsole();

  test('shows the data of a mock that was started again, in each view', async () => {
    const first = await createMock({ fixtures: demo });
    const { url } = await first.listen();
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
      const brand = Array.from({ length: 777 }, (_, index) => ({
        id: index + 1,
        name: 'From the second mock',
      }));
      await second.setState({ brand });
      await second.fault({ match: { operation: 'listBrand' }, status: 503 });
      await second.snapshot('from-the-second');
      await second.listen({ port: Number(new URL(url).port) });
      for (const { page, text } of pages) {
        await page.getByText(text).locator('visible=true').first().waitFor();
        await page.getByText('The mock does not respond.').waitFor({ state: 'detached' });
      }
    } finally {
      await second.close();
    }
  });

  test('says next to its field why a name is wrong, and keeps what was entered', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { view: '/sessions' });
    const { page } = shown;
    const name = page.getByLabel('Name of the new session');
    for (const [wrong, reason] of [
      ['my session', 'Use 1 to 64 of these characters'],
      ['default', 'The session "default" exists already.'],
    ] as const) {
      await name.fill(wrong);
      await page.getByRole('button', { name: 'Create session' }).click();
      await page.locator('.form-row', { has: name }).getByText(reason).waitFor();
      expect(await name.inputValue()).toBe(wrong);
      expect(await shown.problems()).toEqual([]);
    }
    await name.fill('mine');
    await page.keyboard.press('Enter');
    await page.getByText('The session mine is created.').waitFor();
    expect(await name.inputValue()).toBe('');
  });

  test('has the buttons of each view in the palette, and the actions on the session in all', async () => {
    await using mock = await serveMock();
    await mock.mock.session('other').setState({});
    await mock.mock.fault({ status: 503 });
    await mock.ask('GET', '/api/model/brand/1');
    await using shown = await open(mock.url);
    const { page } = shown;
    for (const [view, own] of [
      ['/requests/default/1', ['Pause the list', 'Answer this the next time']],
      ['/records', ['Download all as fixtures']],
      ['/records/brand', ['Make 50 brand records', 'New brand', 'Columns']],
      ['/records/brand/1', ['Duplicate this brand', 'Delete this brand']],
      ['/faults', ['Delete fault 1', 'Stop the clock']],
      ['/sessions', ['Compare again', 'Delete session other']],
      ['/contract/brand', ['Use dark colors']],
    ] as const) {
      await shown.go(view);
      await expect.poll(() => page.locator('#main').textContent()).not.toMatch(/^(Loading…)?$/);
      await page.keyboard.press('Control+k');
      for (const title of [
        ...own,
        'Undo the last write',
        'Reset the session',
        'Clear the request log',
        'Export HAR',
        'Delete all faults',
        'Advance the clock by 1 day',
        'Switch to other',
        'New customer',
        'Swagger UI',
      ]) {
        await page.getByRole('combobox', { name: 'Find a view' }).fill(title);
        expect([view, await page.getByRole('listbox').getByRole('option').first().textContent()]).toEqual([
          view,
          expect.stringContaining(title),
        ]);
      }
      await page.keyboard.press('Escape');
    }
  });
});
