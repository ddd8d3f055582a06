import * as assert from "node:assert/strict";
import { coverOf, requestsFor } from "../../../routes/console/app/files/targets.ts";

const file = (id: number, path: string) => ({ id, path });

Deno.test("C 24 folders without a blocked file stand for all of theirs", () => {
  const allowed = [
    file(1, "m/clean/a"),
    file(2, "m/clean/deep/b"),
    file(3, "m/mixed/c"),
    file(4, "m/mixed/clean/d"),
    file(5, "other/e"),
    file(6, "f"),
    file(7, "mm/g"),
  ];
  const blocked = [file(8, "m/mixed/bad/x")];
  assert.deepEqual(coverOf(["m", "other/e", "f", "mm"], allowed, blocked), {
    files: [3, 5, 6],
    folders: ["m/clean", "m/mixed/clean", "mm"],
  });
  assert.deepEqual(coverOf(["m/clean/deep"], [file(2, "m/clean/deep/b")], []), {
    files: [],
    folders: ["m/clean/deep"],
  });
});

Deno.test("C 24 a download of more than a request may name takes several", () => {
  const files = Array.from({ length: 2001 }, (_, index) => index + 1);
  const requests = requestsFor({ files, folders: ["a/ü", "b"] });
  assert.deepEqual(requests.map((it) => it["ids[]"].length), [998, 1000, 3]);
  assert.deepEqual(requests.map((it) => it["paths[]"]), [["a/ü", "b"], [], []]);
  assert.deepEqual(requests.flatMap((it) => it["ids[]"]), files.map(String));
  const long = Array.from({ length: 40 }, (_, index) => `${index} ${"x".repeat(1000)}`);
  const split = requestsFor({ files: [], folders: long });
  assert.deepEqual(split.flatMap((it) => it["paths[]"]), long);
  assert.ok(split.every((it) => it["paths[]"].join().length < 17_000));
  assert.equal(requestsFor({ files: [1], folders: [] }).length, 1);
});
