import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runnerImport } from 'vite';
import { inRoot } from './root.mjs';

let loader;

/** The product's own loader; it is TypeScript, so vite reads it. */
const scenarioLoader = () => {
  loader ??= runnerImport(inRoot('src/scenario/load.ts'), { configFile: false, logLevel: 'error' }).then(
    ({ module }) => module,
  );
  return loader;
};

/**
 * A lesson's YAML as a module: read and checked when the page is built, so that the page carries neither the YAML reader
 * nor the schema for its own lessons. `base`: the manifests that the lesson's cluster starts from.
 *
 * @returns {import('vite').Plugin}
 */
export const scenariosPlugin = () => ({
  name: 'scenarios',
  transform: {
    filter: { id: /\/scenarios\/[^/?]+\.yaml$/ },
    async handler(code, id) {
      const { errorLine, loadScenario } = await scenarioLoader();
      const loaded = loadScenario(id, code);
      if (!loaded.ok) return this.error(loaded.errors.map(errorLine).join('\n'));
      const file = loaded.scenario.cluster.base;
      const path = file === undefined ? undefined : join(dirname(id), file);
      if (path !== undefined) this.addWatchFile(path);
      const base = path === undefined ? '' : readFileSync(path, 'utf8');
      const text = JSON.stringify({ scenario: loaded.scenario, base });
      return { code: `export default ${text};`, map: null, moduleType: 'js' };
    },
  },
});
