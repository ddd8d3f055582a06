import * as assert from "node:assert/strict";
import { S3Engine } from "../support/s3.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button, choose, row } from "./files_page.ts";

Deno.test({
  name:
    "C 22, C 24: a file beyond the quota is refused with the reason, and goes on when there is room",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1);
    await client.upload("", { "old.bin": "x".repeat(2_000_000) });
    const page = await browser.signIn({ quota: 3_000_000 });
    await row(page, "old.bin").waitFor();
    await choose(page, "Upload files", { name: "new.bin", size: 2_000_000 });
    await page.getByRole("strong").filter({ hasText: "1 file not uploaded" }).waitFor();
    await page.getByText("the files exceed the quota of 2.9 MiB").waitFor();
    assert.equal((await client.remove({ path: "old.bin" })).status, 200);
    await button(page, "Resume new.bin").click();
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    await row(page, "new.bin").waitFor();
  },
});

Deno.test({
  name: "C 5.5, C 24: a full disk refuses files with the reason",
  ignore: !HAS_BROWSER,
  async fn() {
    // More than any disk leaves free.
    await using browser = await TestBrowser.start({ diskReserveMB: 1e9 });
    const page = await browser.signIn();
    await page.getByText("No files yet").waitFor();
    for (const size of [1000, 2_000_000]) {
      await choose(page, "Upload files", { name: `${size}.bin`, size });
    }
    await page.getByRole("strong").filter({ hasText: "2 files not uploaded" }).waitFor();
    assert.equal(await page.getByText("The storage is full: no changes were saved").count(), 2);
  },
});

Deno.test({
  name: "C 23, C 24: uploads wait for an object store that is away, and say so",
  ignore: !HAS_BROWSER || !S3Engine.isInstalled,
  async fn() {
    await using engine = await S3Engine.start();
    await using browser = await TestBrowser.start({ content: engine.content() });
    const page = await browser.signIn();
    await page.getByText("No files yet").waitFor();
    await engine.kill();
    await choose(page, "Upload files", { name: "weights.bin", size: 2_000_000 });
    await page.getByText(/^The content store cannot be used now\. Trying again…$/).waitFor();
    await engine.restart();
    await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
    await row(page, "weights.bin").waitFor();
  },
});
