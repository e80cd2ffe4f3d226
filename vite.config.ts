import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { contentSecurityPolicy } from './scripts/lib/policy.mjs';
import { scenariosPlugin } from './scripts/lib/scenarios-plugin.mjs';

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

/** What the manifest does not tell: the chunks of every worker, keyed like its own entries, for scripts/budget.mjs. */
const workerChunks: Record<string, { file: string; src?: string; isWorkerEntry: boolean; imports: string[] }> = {};
const noteWorkerChunks = (): Plugin => ({
  name: 'note-worker-chunks',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const src = chunk.facadeModuleId === null ? undefined : relative(local('.'), chunk.facadeModuleId);
      workerChunks[chunk.fileName] = {
        file: chunk.fileName,
        src,
        isWorkerEntry: chunk.isEntry,
        imports: chunk.imports,
      };
    }
  },
});
const writeWorkerChunks: Plugin = {
  name: 'write-worker-chunks',
  apply: 'build',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: '.vite/workers.json', source: JSON.stringify(workerChunks, null, 2) });
  },
};

/**
 * What the first stage needs, in one file: cut up by what later parts share with it, it would be three dozen files that
 * compress worse. A part that loads later and is matched here would come too early; scripts/budget.mjs weighs the sum.
 */
const firstStage = new RegExp(
  `/src/(?:${[
    'view/app/(?!Phone|KeysDialog|PastDialog|sandbox)',
    'view/ui/(?!messages/zh|Dialog)',
    'view/path/(?!words-zh)',
    'view/(?:scene|derive|timeline|inspector|strip|drawer|read)/',
    'view/top/(?!ProfileDialog|ShareDialog)',
    'view/(?:model|pins|terminal/places)\\.',
    'store/(?:store|engine|playhead|ports|terminals)\\.',
    'session/(?:client|steps|replica)\\.',
    'explain/(?!zh|glossary|line|values)',
    'engine/base/',
  ].join('|')})`,
);
const inFirstStage = (id: string): boolean => firstStage.test(id.replaceAll('\\', '/'));

export default defineConfig(({ isSsrBuild }) => ({
  // Relative, so that the page works under any path of any host.
  base: './',
  plugins: [react(), scenariosPlugin(), ...(isSsrBuild === true ? [] : [policyInPage, writeWorkerChunks])],
  resolve: isSsrBuild === true ? {} : { alias: { 'node:zlib': absentZlib } },
  worker: { format: 'es' as const, plugins: () => [noteWorkerChunks()] },
  build: {
    target: 'es2022',
    manifest: true,
    sourcemap: false,
    // A font or picture as a data: URL would need data: in more places of the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    rolldownOptions:
      isSsrBuild === true
        ? {}
        : {
            output: {
              codeSplitting: {
                includeDependenciesRecursively: false,
                groups: [{ name: 'page', test: inFirstStage }],
              },
            },
          },
  },
  server: { host: '127.0.0.1' },
}));
