import { defineConfig, devices } from '@playwright/test';

// Run by `npm run e2e`: scripts/e2e.mjs names the browser it found, the address of the built page it serves, and the folder (e2e, or bench).
const executablePath = process.env.CHROME_PATH;
const baseURL = process.env.CONNTRAIL_URL;

export default defineConfig({
  testDir: process.env.CONNTRAIL_TESTS ?? 'e2e',
  outputDir: 'test-results',
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  // Limits that end a hang on a slow machine; nothing is measured by them.
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: process.env.CONNTRAIL_E2E_JSON ?? 'test-results/results.json' }]],
  use: {
    ...devices['Desktop Chrome'],
    channel: undefined,
    baseURL,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      // Chromium refuses its sandbox to root, which is what a container's user usually is.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
    },
  },
});
