/** The file whose presence tells that programs run on musl, as in Alpine. */
export const MUSL_LOADER = '/lib/ld-musl-x86_64.so.1';
