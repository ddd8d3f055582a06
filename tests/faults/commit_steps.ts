/** What commit_program.ts does, and what a repository has before and after it. */

import type { Operation } from "../../core/hub/ports.ts";
import { file, lfsFile } from "../support/commits.ts";
import { noise } from "../support/random.ts";

/** Content in a file, and in the database. */
export const OBJECTS: readonly Uint8Array<ArrayBuffer>[] = [noise(300_000), noise(1000, 2)];

/** The files of the repository before the commit. */
export const BEFORE = { "old": "old", "gone": "gone", "folder/a": "a" };

/** The files after it, besides those of {@link OBJECTS}. */
export const AFTER = { "old": "new", "added": "added", "copied": "a" };

const large = noise(200_000, 3);

/** The operations of the commit. */
export function OPERATIONS(): Operation[] {
  return [
    ...OBJECTS.map((object, index) => lfsFile(`objects/${index}`, object)),
    file("objects/2", large),
    file("old", "new"),
    file("added", "added"),
    { kind: "copyFile", from: "folder/a", path: "copied" },
    { kind: "deletedFile", path: "gone" },
    { kind: "deletedFolder", path: "folder" },
  ];
}
