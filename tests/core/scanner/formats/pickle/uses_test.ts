import * as assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { memorySource, scan as scanWhole } from "../../../../../core/scanner/scan.ts";
import { verdict } from "../../verdict.ts";
import { file, header } from "../numpy/npy_bytes.ts";
import { tarOf } from "../tar/tar_builder.ts";
import { zipOf } from "../zip/zip_builder.ts";
import { assemble, call, type Dialect, fragment, name, type Term } from "./assembler.ts";
import { HOSTILE_USES, type HostileUse } from "./hostile_uses.ts";
import { bytes } from "./pickle_bytes.ts";

const scanAs = (content: Uint8Array, name: string) => {
  const { checks } = scanWhole(memorySource(content), { name });
  const failed = checks.filter(({ status }) => status === "failed");
  return { verdict: verdict(failed), failed: failed.map(({ message }) => message) };
};

/** Whether a verdict is as bad as another one, so that the command line ends with 1. */
const isAsBad = (actual: string, least: "C" | "W") => actual === "C" || actual === least;

const PROTOCOLS = [0, 1, 2, 3, 4, 5];

function dialectsOf({ shares, since = 0 }: HostileUse): Dialect[] {
  return PROTOCOLS.filter((protocol) => protocol >= since).flatMap((protocol) =>
    [true, false].filter((memo) => memo || shares === undefined).map((memo) => ({ protocol, memo }))
  );
}

/** Places of a term in a pickle. */
const PLACES: Readonly<Record<string, (term: Term) => Term>> = {
  "popped": (term) => ({ each: [term, null] }),
  "in a list in a dict": (term) => ({ dict: [["x", { list: [1, term] }]] }),
  "in an argument": (term) =>
    call(name("collections", "OrderedDict"), { list: [{ list: ["x", term] }] }),
  "in a state": (term) => ({
    of: { make: name("sklearn.svm._classes", "SVC") },
    state: { dict: [["x", term]] },
  }),
};

/** Files that hold a pickle, as loaders read them. */
const FILES: readonly (readonly [file: string, wrap: (pickle: Uint8Array) => Uint8Array])[] = [
  ["model.zip", (data) => zipOf([{ name: "model.pkl", data }])],
  ["model.tar", (data) => tarOf([{ name: "model.pkl", data }])],
  ["model.npy", (data) => file(header("'|O'", "(1,)"), data)],
  ["model.npz", (data) => zipOf([{ name: "x.npy", data: file(header("'|O'", "(1,)"), data) }])],
  ["model.joblib", (data) => deflateSync(data)],
  [
    "model.pt",
    (data) => zipOf([{ name: "archive/data.pkl", data }, { name: "archive/version", data: "3\n" }]),
  ],
  ["second.pkl", (data) => bytes(0x80, 2, "N.", data)],
];

Deno.test("C 31 what no real file does with an allowed name is a warning, or critical", async (t) => {
  for (const use of HOSTILE_USES) {
    await t.step(use.title, () => {
      for (const dialect of dialectsOf(use)) {
        const { verdict, failed } = scanAs(assemble(use.term, dialect), "model.pkl");
        assert.equal(verdict, use.verdict, `${JSON.stringify(dialect)} ${failed.join("\n")}`);
      }
    });
  }
});

Deno.test("C 31 so it is in every place of a pickle", async (t) => {
  for (const [place, put] of Object.entries(PLACES)) {
    await t.step(place, () => {
      for (const use of HOSTILE_USES) {
        for (const dialect of dialectsOf(use)) {
          const { verdict, failed } = scanAs(assemble(put(use.term), dialect), "model.pkl");
          assert.ok(
            isAsBad(verdict, use.verdict),
            `${use.title} ${JSON.stringify(dialect)} ${verdict} ${failed.join("\n")}`,
          );
        }
      }
    });
  }
  await t.step("before an end that is missing", () => {
    for (const { title, term, verdict: least } of HOSTILE_USES) {
      const content = bytes(0x80, 4, fragment(term, { protocol: 4, memo: true }));
      const { verdict, failed } = scanAs(content, "model.pkl");
      assert.ok(isAsBad(verdict, least), `${title} ${failed.join("\n")}`);
    }
  });
});

Deno.test("C 31 so it is in every file that holds a pickle", async (t) => {
  for (const [name, wrap] of FILES) {
    await t.step(name, () => {
      for (const use of HOSTILE_USES) {
        for (const protocol of [2, 4]) {
          if (protocol < (use.since ?? 0)) continue;
          const { verdict, failed } = scanAs(
            wrap(assemble(use.term, { protocol, memo: true })),
            name,
          );
          assert.ok(
            isAsBad(verdict, use.verdict),
            `${use.title}, protocol ${protocol}: ${verdict} ${failed.join("\n")}`,
          );
        }
      }
    });
  }
});
