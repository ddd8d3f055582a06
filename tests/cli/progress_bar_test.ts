import * as assert from "node:assert/strict";
import { MIB } from "../../schemas/units.ts";
import { ProgressBar, progressLine } from "../../cli/progress_bar.ts";

Deno.test("ProgressBar", async (t) => {
  const view = {
    done: { files: 3, bytes: 250_000_000 },
    total: { files: 12, bytes: 1_000_000_000 },
    seconds: 2,
    width: 200,
  };
  await t.step("shows the share, the rate and the remaining time", () => {
    assert.equal(
      progressLine(view),
      "[######------------------] 3/12 files, 238.4 MiB of 953.7 MiB, 119.2 MiB/s, 6 s left",
    );
    assert.equal(
      progressLine({ ...view, seconds: 2000 }).split(", ").at(-1),
      "1 h 40 min left",
    );
    assert.match(progressLine({ ...view, seconds: 200 }), /10 min 0 s left/);
  });
  await t.step("shows whole bytes in slow rates, and never 1024 of a unit", () => {
    const slow = { done: { files: 0, bytes: 1483 }, total: { files: 1, bytes: 5000 }, seconds: 16 };
    assert.match(progressLine({ ...slow, width: 200 }), /, 93 bytes\/s, 38 s left$/);
    const fast = { done: { files: 0, bytes: 2 * MIB - 20 }, total: { files: 1, bytes: 1 } };
    assert.match(progressLine({ ...fast, seconds: 2, width: 200 }), /, 1\.0 MiB\/s/);
  });
  await t.step("shows no bytes, no files and a narrow terminal", () => {
    const none = { files: 0, bytes: 0 };
    assert.equal(
      progressLine({ ...view, done: none, seconds: 0 }),
      "[------------------------] 0/12 files, 0 bytes of 953.7 MiB, 0 bytes/s",
    );
    assert.match(progressLine({ ...view, total: none }), /^\[#{24}\]/);
    assert.equal(progressLine({ ...view, width: 10 }).length, 10);
  });
  await t.step("fits a terminal, and gives up the rate and the time last", () => {
    const large = {
      done: { files: 4_999, bytes: 1_023.9 * MIB - 1 },
      total: { files: 5_000, bytes: 1_023.9 * MIB },
      seconds: 0.999,
      label: "Receiving",
    };
    const slow = { ...large, done: { files: 4_999, bytes: 1000 * MIB }, seconds: 30_000 };
    for (const view of [large, slow]) {
      for (let width = 0; width < 200; width++) {
        const line = progressLine({ ...view, width });
        assert.ok(line.length <= width, line);
        if (width >= 40) assert.match(line, /\/s, .* left$/);
        if (width >= 80) assert.match(line, /4999\/5000 files, .* MiB of 1023\.9 MiB/);
        if (width >= 100) assert.match(line, /^Receiving \[#+-*\] /);
      }
    }
  });
  await t.step("draws one line, and erases it", () => {
    const written: string[] = [];
    const bar = new ProgressBar({ files: 2, bytes: 4 }, {
      write: (text) => written.push(text),
      columns: () => 80,
    });
    bar.show({ files: 1, bytes: 2 });
    bar.show({ files: 1, bytes: 3 });
    bar.clear();
    assert.equal(written.length, 2);
    const begin = `\r\x1b[K[${"#".repeat(12)}${"-".repeat(12)}] 1/2 files, 2 bytes of 4 bytes`;
    assert.equal(written[0]?.slice(0, begin.length), begin);
    assert.equal(written[1], "\r\x1b[K");
    // Without a terminal it writes nothing.
    new ProgressBar({ files: 0, bytes: 0 }, undefined).show({ files: 0, bytes: 0 });
  });
});
