/** Blocks that no test runs: the file, the first line of the block, and the reason. */
export const NOT_RUN: readonly { readonly file: string; readonly first: string; readonly why: string }[] = [];
