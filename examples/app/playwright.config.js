import { defineConfig } from '@playwright/test';

const port = Number(process.env.PORT ?? 5173);
const baseURL = `http://127.0.0.1:${port}`;

export default defineConfig({
  testMatch: '*.spec.js',
  fullyParallel: true,
  workers: 2,
  reporter: 'list',
  use: {
    baseURL,
    // Without CHROMIUM, Playwright uses the browser that `npx playwright install chromium` installed.
    launchOptions: process.env.CHROMIUM
      ? { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] }
      : {},
  },
  webServer: { command: `npm run dev -- --host 127.0.0.1 --port ${port} --strictPort`, url: baseURL },
});
