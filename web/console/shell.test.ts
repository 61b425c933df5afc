import { expect, test } from 'vitest';
import { type OpenConsole, useBrowserConsole } from '../../testing/console/open-console.ts';
import { serveMock } from '../../testing/mocks/control.ts';

const { open, openMock, test: browserTest } = useBrowserConsole();

const VIEWS = ['Requests', 'Records', 'Faults and time', 'Sessions', 'Contract'];
const STEADY = ['/requests', '/records/customer', '/records/customer/1', '/faults', '/sessions'];
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** Waits for the view, and expects that it has no problem of axe and is not wider than the screen. */
async function expectFit({ page, problems }: OpenConsole, view: string): Promise<void> {
  await expect.poll(() => page.locator('#main').textContent()).not.toMatch(/^$|Loading…/);
  expect([view, ...(await problems())]).toEqual([view]);
  const scrolled = await page.evaluate(
    'Math.max(document.documentElement.scrollWidth, document.getElementById("main").scrollWidth) - innerWidth',
  );
  expect([view, scrolled]).toEqual([view, 0]);
}

browserTest('each view on a desktop passes axe, and the console keeps the selected theme', async () => {
  await using mock = await serveMock();
  await mock.ask('POST', '/api/model/locker', { name: 'A1', status: 7 });
  await using shown = await open(mock.url);
  const { page } = shown;
  for (const title of VIEWS) {
    await page.getByRole('link', { name: title, exact: true }).click();
    await expectFit(shown, title);
  }
  await page.getByRole('button', { name: 'Use dark colors' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Use light colors' }).waitFor();
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(14, 18, 23)');
});

browserTest(
  'each view on a dark phone passes axe, and its layout does not shift while it loads',
  async () => {
    await using mock = await serveMock();
    await mock.ask('POST', '/api/model/locker', { name: 'A1', status: 7 });
    await using shown = await open(mock.url, { size: 'narrow', scheme: 'dark', view: '/records' });
    const { page } = shown;
    for (const view of [...STEADY, '/contract/profile', '/records/stockInvoice/1']) {
      await page.goto('about:blank');
      await shown.go(view);
      await expectFit(shown, view);
      const shift = await page.evaluate<number>(
        `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, one) => sum + one.value, 0))).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(() => resolve(0), 200))`,
      );
      if (STEADY.includes(view)) expect([view, shift < 0.05 ? 'steady' : shift]).toEqual([view, 'steady']);
    }
  },
);

browserTest(
  'the console is at / and /__mock, shows its session, and asks before it creates a session in its address',
  async () => {
    await using mock = await serveMock();
    await mock.mock.session('one').setState({ brand: [{ id: 1, name: 'a' }] });
    await mock.mock.session('one').fault({ status: 500 });
    for (const path of ['/__mock', '/__mock/sessions/one/__mock/']) {
      await using shown = await open(mock.url, { path, view: '/records' });
      const { page } = shown;
      const row = page.getByRole('listitem').filter({ hasText: 'brand' });
      if (path === '/__mock') {
        await expect.poll(() => row.textContent()).toMatch(/^brand\d\d?$/);
        await page.getByLabel('Session').selectOption('one');
      }
      await expect.poll(() => row.textContent()).toBe('brand1');
      await page.getByRole('link', { name: 'Faults and time' }).click();
      await page.getByText('500 for all requests').waitFor();
      expect(page.url()).toContain('session=one');
    }
    await using shown = await open(mock.url, { view: '/records?session=mine' });
    const { page } = shown;
    await page.getByText('There is no session "mine".').waitFor();
    expect(await shown.problems()).toEqual([]);
    // The views of another session don't create this one either.
    await page.evaluate("location.hash = '#/requests?session=other'");
    await page.getByText('There is no session "other".').waitFor();
    expect(await mock.mock.sessions()).toEqual(['default', 'one']);
    await page.getByRole('button', { name: 'Create it' }).click();
    await page.getByRole('button', { name: 'Create it' }).waitFor({ state: 'detached' });
    expect(await mock.mock.sessions()).toEqual(['default', 'one', 'other']);
  },
);

browserTest(
  'the console asks for the control token on another machine, and keeps it only in memory',
  async () => {
    await using shown = await openMock({ path: '/about-to-forward' }, { control: { token: 'let-me-in' } });
    const { mock, page } = shown;
    // A proxy that adds its header makes the request one of another machine.
    await page.route('**/*', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-forwarded-for': '192.0.2.7' } }),
    );
    await page.goto(`${mock.url}/#/records`);
    await page.getByLabel('Token of --control-token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByLabel('Token of --control-token').fill('let-me-in');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'brand', exact: true }).waitFor();
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).toBe('[{},""]');
    await page.reload();
    await page.getByLabel('Token of --control-token').waitFor();
  },
);

test('a client gets the console only if it can use the control API, or can give the token', async () => {
  const forwarded = { ...HTML, 'x-forwarded-for': '192.0.2.7' };
  await using open = await serveMock();
  const page = await open.ask('GET', '/', undefined, HTML);
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  );
  const seen = [
    page,
    await open.ask('GET', '/__mock/sessions/one/', undefined, HTML),
    await open.ask('GET', '/', undefined, { ...HTML, origin: 'https://b.example' }),
    await open.ask('GET', '/'),
    await open.ask('GET', '/', undefined, forwarded),
    await open.ask('GET', '/__mock/', undefined, forwarded),
    await open.ask('GET', '/__mock/console/none.js'),
    await open.ask('GET', '/__mock/console/%2e%2e%2findex.html'),
  ];
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 403, 404, 404, 403, 404, 400]);
  await using closed = await serveMock({ control: false });
  expect((await closed.ask('GET', '/', undefined, HTML)).status).toBe(404);
  await using guarded = await serveMock({ control: { token: 'secret' } });
  expect((await guarded.ask('GET', '/', undefined, forwarded)).status).toBe(200);
  expect((await guarded.ask('GET', '/__mock/state', undefined, forwarded)).status).toBe(403);
});
