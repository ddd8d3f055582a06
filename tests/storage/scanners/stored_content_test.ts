import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { LocalProcesses } from "../../../cli/supervisor/local_processes.ts";
import { ProcessScanner } from "../../../storage/scanners/process_scanner.ts";
import { ThreadScanner } from "../../../storage/scanners/sandbox/sandbox.ts";
import { SCAN_MAXIMA } from "../../../core/scanner/scan.ts";
import { MIB } from "../../../schemas/units.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 5.3 scans of stored content compute its MD5 if it is checked by that, however large it is", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/large`;
  const content = new Uint8Array(16 * MIB + 1);
  await Deno.writeFile(path, content);
  const blobs = {
    fileOf: () => Promise.resolve({ path, [Symbol.asyncDispose]: () => Promise.resolve() }),
  };
  const bounds = { timeoutMs: 120_000, maxima: SCAN_MAXIMA };
  await using processes = new LocalProcesses([directory.path]);
  await using inProcess = new ProcessScanner(blobs, {
    ...{ processes, maxIdle: 1, memoryMB: 512 },
    ...bounds,
  });
  const md5 = createHash("md5").update(content).digest("hex");
  const sha256 = createHash("sha256").update(content).digest("hex");
  for (const scanner of [inProcess, new ThreadScanner(blobs, bounds)]) {
    for (const needsMd5 of [true, false]) {
      const { hashes } = await scanner.scan({ hash: md5, name: "large.bin" }, {
        ...{ userId: 1, memoryLimitMB: 0, skip: [], needsMd5 },
        signal: new AbortController().signal,
      });
      assert.equal(hashes.md5, needsMd5 ? md5 : undefined);
      assert.equal(hashes.sha256, sha256);
    }
  }
});
