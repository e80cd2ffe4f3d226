import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scenarios/**/*.test.ts', 'scripts/**/*.test.ts'],
    environment: 'node',
    maxWorkers: 2,
    passWithNoTests: true,
    // A shared machine can be slow; the limit is there to end a hang, never to measure.
    testTimeout: 60_000,
  },
});
