// Prints the path of the browser that the tests use, installing one where there is none.
import { findBrowser } from './lib/browser.mjs';

try {
  console.log(await findBrowser());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
