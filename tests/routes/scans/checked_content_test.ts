import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { Report } from "../../../schemas/report/report.ts";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import { TestServer } from "../../support/server.ts";

const SCANNER = ["scans.view", "scans.run", "resources.upload", "resources.download"];
const TEXT = "content";
const hashOf = (name: string) => createHash(name).update(TEXT).digest("hex");

Deno.test("C 5.3, SR 2.6 a scan checks large content by the SHA-256 that it was stored with", async (t) => {
  const asked: (boolean | undefined)[] = [];
  const answers: string[] = [hashOf("sha256"), "0".repeat(64)];
  await using server = await TestServer.start({
    contents: {
      scan(_content, { needsMd5 }) {
        asked.push(needsMd5);
        // Large content has no MD5 unless that is needed.
        return Promise.resolve({
          ...plainScan(1),
          hashes: { sha256: answers[asked.length - 1] ?? "" },
        });
      },
    },
  });
  const one = await server.as(1, ...SCANNER);
  await one.upload("", { whole: TEXT, damaged: TEXT });
  const reportOf = async (path: string) => {
    const { text } = await one.json("POST", "/scans/?wait=60", { path });
    const reply = await one.send("GET", `/scans/${JSON.parse(text).data.id}/report`);
    return v.parse(Report, JSON.parse(reply.text));
  };
  await t.step("without computing its MD5, which is in the report", async () => {
    const { file_metadata } = await reportOf("whole");
    const { file_hashes } = file_metadata["whole"] ?? {};
    assert.deepEqual(file_hashes, {
      ...{ md5: hashOf("md5"), sha1: null, sha256: hashOf("sha256"), sha512: null },
      sha256_prefix: null,
    });
  });
  await t.step("and refuses the result if that is another one", async () => {
    const { issues } = await reportOf("damaged");
    assert.deepEqual(issues.map(({ message }) => message), [
      "Could not be scanned: Content damaged",
    ]);
  });
  assert.deepEqual(asked, [false, false]);
});
