import { removeUnreferenced, type Tree } from "./changes.ts";

/**
 * Removes content that no record holds, such as a crash between its placing and the commit of its
 * record leaves behind (C 5.4). Where the records cannot be read it throws and removes nothing more.
 */
export async function recover(tree: Pick<Tree, "records" | "blobs">): Promise<void> {
  if (!tree.blobs.needsSweep) return;
  for await (const hashes of tree.blobs.hashes()) await removeUnreferenced(tree, hashes);
  tree.blobs.needsSweep = false;
}
