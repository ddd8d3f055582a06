import * as assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { SCAN_LIMITS } from "../../../../core/scanner/contract/limits.ts";
import {
  type ByteSource,
  cutSource,
  memorySource,
  sourceSlice,
} from "../../../../core/scanner/contract/source.ts";
import { scanFile } from "../../../../core/scanner/engine/scan.ts";
import { SCANNERS } from "../../../../core/scanner/formats/mod.ts";
import { FIXTURES } from "../../../fixtures/fixtures.ts";
import { ROOT } from "../../../support/child_server.ts";
import { zipOf } from "../formats/zip/zip_builder.ts";
import { emitting, PASSED, scan, scanner } from "./fake_scanners.ts";

/** Findings on whether content is whole, on its size or on its format. */
const ABOUT_ENDS = /S(?:804|90[1-4]|908)$/;
/** Formats that say how large their parts are, or that end with a directory. */
const SIZED = /\.(?:npy|npz|safetensors|gguf|pkl|joblib|zip|7z|pt|keras|txt)$/;

const MODELS = FIXTURES.filter(({ path, verdict }) => verdict === "clean" && SIZED.test(path));

function findings(name: string, content: Uint8Array, maxMemberBytes: number) {
  const limits = { ...SCAN_LIMITS, maxMemberBytes };
  const { checks, inconclusive } = scanFile({
    ...{ source: memorySource(content), name, limits },
    scanners: SCANNERS,
  });
  const found = checks.filter(({ status, severity }) => status === "failed" && severity !== "info");
  return {
    reasons: inconclusive,
    about: found.filter(({ ruleCode = "" }) => ABOUT_ENDS.test(ruleCode))
      .map(({ severity, message }) => `${severity} ${message}`),
  };
}

const read = (path: string) => Deno.readFileSync(`${ROOT}tests/fixtures/models/${path}`);

Deno.test("C 16 what a limit of the scan cuts is not called too short, corrupt or of another format", async (t) => {
  for (const { path } of MODELS) {
    const content = read(path);
    const name = path.slice(path.lastIndexOf("/") + 1);
    await t.step(path, () => {
      const limit = Math.floor(content.length * 0.7);
      const archives: [string, Uint8Array][] = [
        [`${name}.gz`, gzipSync(content)],
        ["models.zip", zipOf([{ name, data: content, method: 8 }])],
      ];
      for (const [archive, bytes] of archives) {
        const { about, reasons } = findings(archive, bytes, limit);
        assert.deepEqual(about, [], archive);
        if (!name.endsWith(".npy")) assert.ok(reasons.includes("unpacked_limit"), archive);
      }
    });
  }
  await t.step("members of a 7z archive", () => {
    const { about, reasons } = findings("model.7z", read("archive/model.7z"), 300);
    assert.deepEqual(about, []);
    assert.ok(reasons.includes("unpacked_limit"));
  });
});

Deno.test("C 16 what is too short in itself is found, compressed or not", () => {
  const array = read("numpy/float32.npy").subarray(0, -1);
  for (const [name, content] of [["a.npy", array], ["a.npy.gz", gzipSync(array)]] as const) {
    assert.equal(findings(name, content, 1 << 20).about.length, 1);
  }
});

Deno.test("C 16 of cut content, findings on what it does stay, as do all on its whole members", () => {
  const failed = { name: "A", status: "failed", message: "", severity: "critical" } as const;
  const severities = (member: ByteSource) => {
    const outer = scanner("outer", function* (_content, context) {
      context.scanMember("member", member);
      yield PASSED;
    }, ({ depth }) => depth === 0);
    const inner = emitting("inner", { ...failed, ruleCode: "S101" }, {
      ...failed,
      ruleCode: "S904",
    });
    const { checks } = scan("x", [outer, { ...inner, matches: ({ depth }) => depth === 1 }]);
    return checks.flatMap(({ severity }) => severity ?? []);
  };
  const cut = cutSource(memorySource(new Uint8Array(10)));
  assert.deepEqual(severities(cut), ["critical", "info"]);
  assert.deepEqual(severities(sourceSlice(cut, 5, 10)), ["critical", "info"]);
  assert.deepEqual(severities(sourceSlice(cut, 0, 9)), ["critical", "critical"]);
});
