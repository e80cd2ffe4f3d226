import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { contentSecurityPolicy } from './scripts/lib/policy.mjs';

const local = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// just-bash's browser bundle still names node:zlib, for commands that the page does not offer.
const absentZlib = local('./scripts/lib/absent-zlib.mjs');

/** The built page carries its policy itself, so that it holds on a host that sends no headers. The dev server needs inline scripts and goes without. */
const policyInPage: Plugin = {
  name: 'policy-in-page',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
      injectTo: 'head-prepend',
    },
  ],
};

export default defineConfig(({ isSsrBuild }) => ({
  // Relative, so that the page works under any path of any host.
  base: './',
  plugins: [react(), policyInPage],
  resolve: isSsrBuild === true ? {} : { alias: { 'node:zlib': absentZlib } },
  worker: { format: 'es' as const },
  build: {
    target: 'es2022',
    manifest: true,
    sourcemap: false,
    // A font or picture as a data: URL would need data: in more places of the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
  server: { host: '127.0.0.1' },
}));
