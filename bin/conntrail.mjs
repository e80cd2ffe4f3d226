#!/usr/bin/env node
// The headless command: bundles src/cli/main.ts when the sources have changed, then runs it in this process. The program reads process.argv and sets
// process.exitCode; see `conntrail --help`.
import { pathToFileURL } from 'node:url';
import { bundleForNode } from '../scripts/lib/cli-bundle.mjs';

await import(pathToFileURL(await bundleForNode('src/cli/main.ts')).href);
