import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from '@playwright/test';
import axe from 'axe-core';

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const named = process.env.CHROMIUM || undefined;
const path = named ?? USUAL.find((one) => existsSync(one));

/** Whether there is no browser. Its tests are then skipped, except in continuous integration. */
export const NO_BROWSER = path === undefined && process.env.CI !== 'true';

/** Where the browser of this machine is; throws with how to get one when there is none. */
export function browserPath(): string {
  if (path === undefined || !existsSync(path))
    throw new Error(
      `${named ?? 'Chromium'} was not found; install it with: apt-get install -y chromium — or set CHROMIUM to a Chromium or Chrome`,
    );
  return path;
}

let shared: Promise<Browser> | undefined;

/** The browser of this worker, which starts when a test first asks for it, and ends with the worker. */
export function workerBrowser(): Promise<Browser> {
  shared ??= openBrowser();
  return shared;
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Returns the problems that axe finds in a page, each with its first place. */
export async function findProblems(page: Page): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source);
  // Without this, axe describes what is right too, which takes most of its time.
  const run = 'axe.run({ resultTypes: ["violations"] })';
  const { violations } = await page.evaluate<axe.AxeResults>(run);
  return violations.map(({ help, nodes }) => `${help}: ${nodes[0]?.html.slice(0, 200)}`);
}
