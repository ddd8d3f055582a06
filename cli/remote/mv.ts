import { moveOrCopy } from "./move_or_copy.ts";

/** `strongroom mv`: moves files and directories within a tree of a server (C 25). */
export function run(args: string[]): Promise<number> {
  return moveOrCopy("mv", args);
}
