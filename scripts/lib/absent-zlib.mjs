// Stands in for node:zlib in the browser bundle of just-bash, which names it for `gzip` and for `rg -z`. The page offers neither command;
// should one be reached all the same, it fails with these words instead of with a broken import.
function absent() {
  throw new Error('compression commands are not available here');
}

export const constants = {};
export const gunzipSync = absent;
export const gzipSync = absent;
export default { constants, gunzipSync, gzipSync };
