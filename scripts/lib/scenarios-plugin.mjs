import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runnerImport } from 'vite';
import { inRoot } from './root.mjs';

const modules = new Map();

/** One of the product's own modules; they are TypeScript, so vite reads them. */
const productModule = (path) => {
  if (!modules.has(path)) {
    modules.set(
      path,
      runnerImport(inRoot(path), { configFile: false, logLevel: 'error' }).then(({ module }) => module),
    );
  }
  return modules.get(path);
};

/**
 * A lesson's YAML as a module: read and checked when the page is built, so that the page carries neither the YAML reader
 * nor the schema for its own lessons. `base`: the manifests that the lesson's cluster starts from, as JSON.
 *
 * @returns {import('vite').Plugin}
 */
export const scenariosPlugin = () => ({
  name: 'scenarios',
  transform: {
    filter: { id: /\/scenarios\/[^/?]+\.yaml$/ },
    async handler(code, id) {
      const { errorLine, loadScenario } = await productModule('src/scenario/load.ts');
      const { readManifest } = await productModule('src/scenario/manifest.ts');
      const loaded = loadScenario(id, code);
      if (!loaded.ok) return this.error(loaded.errors.map(errorLine).join('\n'));
      const file = loaded.scenario.cluster.base;
      const path = file === undefined ? undefined : join(dirname(id), file);
      if (path !== undefined) this.addWatchFile(path);
      const { manifests, ...cluster } = loaded.scenario.cluster;
      const objects = [];
      for (const [name, yaml] of [
        [path, path === undefined ? '' : readFileSync(path, 'utf8')],
        [id, manifests ?? ''],
      ]) {
        const read = readManifest(yaml, name);
        if (!read.ok) return this.error(`${name}:${read.error.line}: ${read.error.message}`);
        for (const d of read.documents) objects.push(d.value);
      }
      const text = JSON.stringify({ scenario: { ...loaded.scenario, cluster }, base: JSON.stringify(objects) });
      return { code: `export default ${text};`, map: null, moduleType: 'js' };
    },
  },
});
