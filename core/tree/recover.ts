import { removeUnreferenced, type Tree } from "./changes.ts";

/**
 * Removes unreferenced content, such as a crash leaves between publishing a blob and committing its
 * record (C 5.4).
 *
 * @throws when the records cannot be read; the remaining content is kept.
 */
export async function recover(tree: Pick<Tree, "records" | "blobs">): Promise<void> {
  if (!tree.blobs.needsSweep) return;
  for await (const hashes of tree.blobs.hashes()) await removeUnreferenced(tree, hashes);
  tree.blobs.needsSweep = false;
}
