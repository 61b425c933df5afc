import { expect } from 'vitest';
import { serveMock } from '../mocks/control.ts';
import { SIZES, useBrowserConsole } from './open-console.ts';

const { open, openMock, test } = useBrowserConsole();

const MANY = 120;

test('the console says that the session of the address is invalid, and lets the reader leave it', async () => {
  await using shown = await openMock({ view: `/records/brand?session=${encodeURIComponent('日')}` });
  await shown.page.getByRole('button', { name: 'Create it' }).click();
  await shown.page.getByText('The name "日" is invalid. Use 1 to 64 of these').waitFor();
  await shown.page.getByLabel('Session', { exact: true }).selectOption('default');
  await shown.page.getByRole('link', { name: '1', exact: true }).waitFor();
});

test('the console accepts __proto__ as the name of a session, but not of a model', async () => {
  await using mock = await serveMock();
  await mock.ask('POST', '/__mock/sessions/__proto__/api/model/brand', { name: 'Strange' });
  await using shown = await open(mock.url, { view: '/records/brand?session=__proto__' });
  await shown.page.getByText('Strange').waitFor();
  for (const view of ['/records/__proto__', '/contract/__proto__', '/records/constructor/1']) {
    await shown.go(view);
    await shown.page.getByText('There is no model').waitFor();
    await shown.page.getByRole('link', { name: 'Show all models' }).waitFor();
  }
});

test('the console acts in the session of the open request', async () => {
  await using mock = await serveMock();
  await mock.ask('POST', '/__mock/sessions/other/api/model/brand', { name: 'Only there' });
  await using shown = await open(mock.url);
  const { page } = shown;
  await page.locator('.rows .row').click();
  await page.getByRole('button', { name: 'Fixture' }).click();
  await page.getByText('The record is copied as a fixture.').waitFor();
  await mock.mock.session('two').setState(JSON.parse(await shown.copied()));
  const { records } = await mock.mock.session('two').records('brand').list();
  expect(records).toMatchObject([{ name: 'Only there' }]);
  await page.getByRole('button', { name: 'Set the next response …' }).click();
  await page.getByRole('button', { name: 'Add this response' }).click();
  await page.getByText('in the session other').waitFor();
  expect(await mock.mock.session('other').faults()).toHaveLength(1);
  expect(await mock.mock.faults()).toHaveLength(0);
  await page.getByRole('link', { name: /^brand \d+$/ }).click();
  await page.getByRole('heading', { name: /^brand \d+ Only there$/ }).waitFor();
});

test('the list of requests stays responsive with 10,000 requests', async () => {
  await using mock = await serveMock({ requestLog: 10_000 });
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

test('the list of requests keeps its scroll position, and shows the request in the address', async () => {
  await using mock = await serveMock();
  for (let sent = 0; sent < MANY; sent++) await mock.ask('GET', '/api/model/brand/1');
  await using shown = await open(mock.url);
  const { page } = shown;
  const list = page.locator('.rows');
  const scroll = (top: number) => list.evaluate((rows, top) => rows.scrollTo(0, top), top);
  const top = () => list.evaluate((rows) => rows.scrollTop);
  await page.getByText(`${MANY} requests`).waitFor();
  await scroll(900);
  await mock.ask('GET', '/api/model/brand/2');
  await page.getByText(`${MANY + 1} requests`).waitFor();
  expect(await top()).toBe(930);
  await scroll(0);
  await mock.ask('GET', '/api/model/brand/3');
  await page.getByText(`${MANY + 2} requests`).waitFor();
  expect(await top()).toBe(0);
  // On a narrow screen, an open request covers the list.
  await page.setViewportSize(SIZES.narrow);
  await page.reload();
  await page.getByText(`${MANY + 2} requests`).waitFor();
  await scroll(900);
  await page.locator('.rows .row').nth(20).click();
  await page.getByRole('link', { name: '← All requests' }).click();
  await expect.poll(top).toBe(900);
  await page.setViewportSize(SIZES.wide);
  const [oldest] = await mock.mock.requests();
  await page.goto('about:blank');
  await shown.go(`/requests/default/${oldest?.id}`);
  await page.locator('.rows .row.chosen').waitFor();
  expect(await top()).toBeGreaterThan(0);
});

test('the console shows writes of the app, and keeps unsaved values', async () => {
  await using shown = await openMock({ view: '/records/brand' });
  const { mock, page } = shown;
  await page.getByRole('link', { name: '1', exact: true }).waitFor();
  await expect
    .poll(async () => {
      await mock.ask('POST', '/api/model/brand', { name: 'Just written' });
      return page.getByText('Just written').count();
    })
    .toBeGreaterThan(0);
  await shown.go('/records/brand/1');
  await page.getByLabel('name').fill('Not saved');
  await mock.ask('POST', '/api/model/brand/1', { name: 'By the app' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('brand 1 is saved.').waitFor();
  expect(await mock.mock.records('brand').get(1)).toMatchObject({ name: 'Not saved' });
});

test('the console shows no form for a missing record, even if it disappears later', async () => {
  await using shown = await openMock({ view: '/records/brand/777' });
  const { mock, page } = shown;
  await page.getByText('There is no brand with the ID 777.').waitFor();
  expect(await page.getByRole('button', { name: 'Delete' }).isVisible()).toBe(false);
  await shown.go('/records/brand/abc');
  await page.getByText('There is no brand abc').waitFor();
  await shown.go('/records/brand/new');
  await page.getByLabel('name').fill('Altura');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: /Altura$/ }).waitFor();
  await mock.mock.setState({});
  await mock.ask('POST', '/api/model/brand', { name: 'Other' });
  await page.getByText(/^There is no brand with the ID/).waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isVisible()).toBe(false);
});

test('the console shows a new view from its top, with the keyboard focus in it', async () => {
  await using shown = await openMock({ view: '/records/customer/5' });
  const { page } = shown;
  const link = page.getByRole('link', { name: /of this customer$/ }).first();
  await link.scrollIntoViewIfNeeded();
  const top = () => page.locator('#main').evaluate((main) => main.scrollTop);
  expect(await top()).toBeGreaterThan(0);
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Show deleted records').waitFor();
  await expect.poll(() => page.locator('#main:focus').count()).toBe(1);
  expect(await top()).toBe(0);
});

test('the console edits the lines of an invoice in a table', async () => {
  await using shown = await openMock({ view: '/records/stockInvoice/1' });
  const { mock, page } = shown;
  const lines = async () =>
    (await mock.mock.records('stockInvoice').get(1))?.lines as readonly Record<string, unknown>[];
  const before = await lines();
  await page.getByLabel('units of line 1').press('End');
  await page.getByLabel('units of line 1').pressSequentially('.5');
  await page.getByRole('button', { name: 'Add line' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('table', { name: 'lines' }).getByText('is required').first().waitFor();
  expect(await shown.problems()).toEqual([]);
  await page.getByRole('button', { name: `Remove line ${before.length + 1}` }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('stockInvoice 1 is saved.').waitFor();
  expect((await lines()).map(({ units }) => units)).toEqual([
    Number(`${before[0]?.units}.5`),
    ...before.slice(1).map(({ units }) => units),
  ]);
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'New stockInvoice' }).waitFor();
  await page.getByLabel('units of line 1').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText(/^stockInvoice \d+ is created.$/).waitFor();
});

test('the console ignores invalid filters in the address, and leads back from an empty page', async () => {
  await using mock = await serveMock();
  const filters = encodeURIComponent('[null,1,{"field":5}]');
  await using shown = await open(mock.url, { view: `/records/brand?page=99&filters=${filters}` });
  const { page } = shown;
  await page.getByText('This page has no records.').waitFor();
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByRole('link', { name: '1', exact: true }).waitFor();
});
