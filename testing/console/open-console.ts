import type { BrowserContext, Locator, Page } from '@playwright/test';
import { test as anyTest, beforeAll, expect } from 'vitest';
import type { MockOptions } from '../../mock/mock.ts';
import { findProblems, NO_BROWSER, workerBrowser } from '../browser.ts';
import { serveMock } from '../mocks/control.ts';

/** The sizes at which tests drive the console: a desktop and a phone. */
export const SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
} as const;
export type Size = keyof typeof SIZES;

/** Most tests use a function by keyboard on a narrow page, which is harder than by mouse on a desktop. */
export const KEYBOARD = { size: 'narrow', by: 'keyboard' } as const;

export type OpenOptions = {
  /** How `press` presses (default: by mouse). */
  readonly by?: 'mouse' | 'keyboard';
  readonly size?: Size;
  readonly scheme?: 'light' | 'dark';
  /** The part of the address after `#`, such as `/records/brand`. */
  readonly view?: string;
  /** The path of the page (default: `/`). */
  readonly path?: string;
};

/** A page of the console in a real browser. It fails at the end if the page reported an error. */
export type OpenConsole = Awaited<ReturnType<ReturnType<typeof useBrowserConsole>['open']>>;

/** Starts a browser for the tests of a file, which are skipped without one. */
export function useBrowserConsole() {
  let context: BrowserContext;
  const free: Page[] = [];
  beforeAll(async () => {
    if (NO_BROWSER) return undefined;
    context = await (await workerBrowser()).newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    return () => context.close();
  });
  return { open, openMock, test: anyTest.skipIf(NO_BROWSER) };

  /** Opens the console of a new mock. */
  async function openMock(options?: OpenOptions, mockOptions?: MockOptions) {
    const mock = await serveMock(mockOptions);
    const shown = await open(mock.url, options);
    const dispose = async () => {
      await shown[Symbol.asyncDispose]();
      await mock[Symbol.asyncDispose]();
    };
    return { ...shown, mock, [Symbol.asyncDispose]: dispose };
  }

  /** Opens the console of the mock at a URL. */
  async function open(
    url: string,
    { by = 'mouse', path = '/', scheme = 'light', size = 'wide', view = '/requests' }: OpenOptions = {},
  ) {
    // A new page takes more than a second. Each mock has its own port, so pages of other mocks share no storage.
    const page = free.pop() ?? (await context.newPage());
    // A page behind another one draws late.
    await page.bringToFront();
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme: scheme });
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => {
      const text = message.text();
      // The browser logs each failed request, which tests cause on purpose.
      if (message.type() === 'error' && !/^Failed to load resource: /.test(text)) errors.push(text);
    });
    const go = async (next: string) => {
      await page.goto(`${url}${path}#${next}`);
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
    };
    await page.goto(`${url}${path}#${view}`);
    const press = async (control: Locator) => {
      if (by === 'mouse') return control.click();
      await control.focus();
      const isInput = await control.evaluate((element) => element.tagName === 'INPUT');
      await page.keyboard.press(isInput ? 'Space' : 'Enter');
    };
    return {
      page,
      /** Presses a button, a link, or a checkbox. */
      press,
      /** Agrees in the dialog that asks before something is lost. */
      async confirm(action: string) {
        const dialog = page.getByRole('dialog');
        await press(dialog.getByRole('button', { name: action, exact: true }));
        // Until it is closed, no key reaches the page behind it.
        await dialog.waitFor({ state: 'hidden' });
      },
      /** Opens a view by its address. */
      go,
      /** Returns the problems that axe finds, each with its first place. */
      problems: () => findProblems(page),
      /** Returns the text of the clipboard. */
      copied: () => page.evaluate<string>('navigator.clipboard.readText()'),
      [Symbol.asyncDispose]: async () => {
        for (const event of ['pageerror', 'console'] as const) page.removeAllListeners(event);
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.setOffline(false);
        await page.goto('about:blank');
        free.push(page);
        expect(errors).toEqual([]);
      },
    };
  }
}
