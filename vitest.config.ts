import { defineConfig } from 'vitest/config';
import { scenariosPlugin } from './scripts/lib/scenarios-plugin.mjs';

export default defineConfig({
  plugins: [scenariosPlugin()],
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scenarios/**/*.test.ts', 'scripts/**/*.test.ts'],
    environment: 'node',
    setupFiles: ['src/testing/setup.ts'],
    maxWorkers: 2,
    passWithNoTests: true,
    // A shared machine can be slow; the limit is there to end a hang, never to measure.
    testTimeout: 60_000,
  },
});
