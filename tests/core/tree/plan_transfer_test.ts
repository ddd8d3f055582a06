import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { nameOf } from "../../../core/paths.ts";
import type { ResourceRecord } from "../../../core/ports.ts";
import { parseTransfer, pathsToPlan, planTransfer } from "../../../core/tree/plan_transfer.ts";

/** The records at some paths; a path with a slash at its end is a directory. */
function recordsAt(paths: string): Map<string, ResourceRecord> {
  return new Map(
    paths.split(" ").filter((path) => path !== "").map((written, index) => {
      const path = written.replace(/\/$/, "");
      const isDir = path !== written;
      const record = { path, name: nameOf(path), hash: isDir ? "" : "0".repeat(32), isDir };
      const times = { createdAt: 0, updatedAt: 0 };
      return [path, { id: index + 1, userId: 1, size: 0, crc32: 0, ...record, ...times }];
    }),
  );
}

/**
 * Plans a request such as `move a b -> c/ force` on records. Returns the placements, the replaced files
 * and the new directories, such as `a>c/a b>c/b | -x | +c`.
 */
function planned(records: string, request: string): string {
  const [, verb = "", from = "", to = "", force] =
    /^(move|copy) (.*) -> (\S*)( force)?$/.exec(request) ?? [];
  const transfer = parseTransfer(verb === "copy" ? "copy" : "move", {
    caller: { userId: 1, privileges: new Set(), expiresAt: 0 },
    sources: from.split(" "),
    destination: to,
    force: force !== undefined,
  });
  const all = recordsAt(records);
  const [first, ...others] = transfer.sources.map((path) => {
    const record = all.get(path);
    assert.ok(record, path);
    return record;
  });
  assert.ok(first);
  const sources = [first, ...others] as const;
  const paths = new Set(pathsToPlan(sources, transfer.destination));
  const existing = new Map([...all].filter(([path]) => paths.has(path)));
  const plan = planTransfer({ transfer, sources, existing, now: 7 });
  return [
    plan.placements.map(({ source, target }) => `${source.path}>${target}`).join(" "),
    plan.replaced.map(({ path }) => `-${path}`).join(" "),
    plan.newDirectories.map(({ path }) => `+${path}`).join(" "),
  ].join(" | ");
}

/** Records, a request, and its plan. */
const PLANS: readonly [title: string, records: string, request: string, plan: string][] = [
  ["RS 4.4.3 a file goes into an existing directory", "a d/", "move a -> d", "a>d/a |  | "],
  ["RS 4.4.3 a slash makes a directory", "a", "move a -> d/e/", "a>d/e/a |  | +d +d/e"],
  ["RS 4.4.3 a file gets a new path", "a", "copy a -> d/b", "a>d/b |  | +d"],
  ["RS 4.4.4 a file replaces a file", "a b", "move a -> b force", "a>b |  | "],
  [
    "C 7 a directory replaces the file at the destination",
    "a d",
    "move a -> d/ force",
    "a>d/a | -d | +d",
  ],
  ["RS 4.4.5 a directory moves into a directory", "a/ d/", "move a -> d", "a>d/a |  | "],
  ["RS 4.4.5 a directory moves to the root", "a/ a/b/", "move a/b -> ", "a/b>b |  | "],
  ["RS 4.4.7 a directory replaces a file", "a/ d/ d/a", "move a -> d force", "a>d/a | -d/a | "],
  ["RS 4.5.4 a copy merges into a directory", "a/ d/", "copy a -> d force", "a>d |  | "],
  ["C 7 a copied directory replaces a file", "a/ d", "copy a -> d force", "a>d | -d | "],
  ["C 7 the slash makes no difference", "a/ d", "copy a -> d/ force", "a>d | -d | "],
  ["RS 4.4 multiple 1", "a b/", "move a b -> d/e", "a>d/e/a b>d/e/b |  | +d +d/e"],
];

const INVALID = "ErrResourcesInvalidRequest";
const CONFLICT = "ErrResourcesConflict";

/** Records, a refused request, its error kind and part of the message. */
const REFUSALS: readonly [
  title: string,
  records: string,
  request: string,
  kind: string,
  message: RegExp,
][] = [
  ["RS 4.4.1 no source", "", "move   -> d", INVALID, /a source is required/],
  ["RS 4.4 single 1", "a", "move a -> a/", INVALID, /"a": it is also the destination/],
  ["RS 4.4 single 1 at the top level", "a", "move a -> ", INVALID, /already at the top level/],
  ["RS 4.4.4 without force", "a b", "move a -> b", CONFLICT, /to "b": it exists, and force/],
  ["RS 4.4.4 a directory", "a d/ d/a/", "copy a -> d force", CONFLICT, /"d\/a": it is a directory/],
  ["C 7 itself", "d/ d/a", "move d/a -> d force", INVALID, /cannot replace itself/],
  ["C 7 a directory itself", "d/ d/a/", "move d/a -> d", INVALID, /moved into itself/],
  ["C 7 a file further up", "a d", "move a -> d/e/ force", CONFLICT, /"d" is a file/],
  ["C 7 a file without force", "a d", "move a -> d/", CONFLICT, /"d" is a file/],
  ["RS 4.4.5 into itself", "a/", "move a -> a/b", INVALID, /"a": it contains .* "a\/b"/],
  ["C 7 an earlier source", "a/ a/b", "move a a/b -> d", INVALID, /moves along with "a"/],
  ["RS 4.4 multiple 2", "a/ a/x b/ b/x", "move a/x b/x -> d", CONFLICT, /two sources/],
  ["RS 4.4 multiple 3", "d/ d/a b", "copy d/a b -> d", INVALID, /already in the destination/],
  ["RS 4.4 multiple 4", "a b d", "copy a b -> d force", CONFLICT, /"d" is a file/],
];

Deno.test("planTransfer() finds targets, replaced files and new directories", async (t) => {
  for (const [title, records, request, plan] of PLANS) {
    await t.step(`${title}: ${request}`, () => assert.equal(planned(records, request), plan));
  }
});

Deno.test("parseTransfer() and planTransfer() refuse impossible transfers", async (t) => {
  for (const [title, records, request, kind, message] of REFUSALS) {
    await t.step(`${title}: ${request}`, () => {
      assert.throws(
        () => planned(records, request),
        (error) => error instanceof AppError && error.kind === kind && message.test(error.message),
      );
    });
  }
});
