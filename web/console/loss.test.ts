/** What a reader could lose in the console: a session, and values that are not saved. */
import { describe, expect, test } from 'vitest';
import { NO_BROWSER } from '../../testing/browser.ts';
import { useBrowserConsole } from '../../testing/console/open-console.ts';
import { serveMock } from '../../testing/mocks/control.ts';

const LOST = 'The values that you have entered will be lost.';

describe.skipIf(NO_BROWSER)('the console', () => {
  const open = useBrowserConsole();

  test('asks before it resets a session, also from the palette of another view', async () => {
    await using mock = await serveMock();
    await mock.mock.records('brand').update(1, { name: 'Changed' });
    const nameNow = async () => (await mock.mock.records('brand').get(1))?.name;
    await using shown = await open(mock.url, { view: '/sessions' });
    const { page } = shown;
    await page.getByRole('button', { name: 'Reset the session' }).click();
    await page.getByText('Its records, IDs, clock, faults, and request log').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await nameNow()).toBe('Changed');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('reset the session');
    await page.keyboard.press('Enter');
    await shown.confirm('Reset');
    await page.getByText('The session is as it was at its start.').waitFor();
    expect(await nameNow()).not.toBe('Changed');
  });

  test('brings a deleted fault back', async () => {
    await using mock = await serveMock();
    await mock.mock.fault({ match: { operation: 'listBrand' }, status: 503 });
    await using shown = await open(mock.url, { view: '/faults' });
    await shown.page.getByRole('button', { name: 'Delete fault 1' }).click();
    await shown.page.getByText('This session has no faults').waitFor();
    await shown.page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await shown.page.getByText('503 for listBrand').waitFor();
    expect(await mock.mock.faults()).toMatchObject([{ status: 503, match: { operation: 'listBrand' } }]);
  });

  test('asks before it leaves a form with values that are not saved', async () => {
    await using mock = await serveMock();
    await mock.mock.session('other').setState({ brand: [{ id: 1, name: 'other' }] });
    await using shown = await open(mock.url, { view: '/records/brand' });
    const { page } = shown;
    await page.getByRole('link', { name: '1', exact: true }).click();
    const name = page.getByLabel('name');
    await name.fill('Not saved');
    const stay = async () => {
      await page.getByText(LOST).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText(LOST).waitFor({ state: 'detached' });
      expect(await name.inputValue()).toBe('Not saved');
      expect(page.url()).toMatch(/#\/records\/brand\/1$/);
    };
    await page.getByRole('link', { name: 'Sessions' }).click();
    expect(await shown.problems()).toEqual([]);
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
  });

  test('asks nothing after the values are saved or discarded', async () => {
    await using mock = await serveMock();
    await using shown = await open(mock.url, { view: '/records/brand/1' });
    const { page } = shown;
    await page.getByLabel('name').fill('One');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('name').fill('Two');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('brand 1 is saved.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await mock.mock.records('brand').get(1)).toMatchObject({ name: 'Two' });
  });
});
