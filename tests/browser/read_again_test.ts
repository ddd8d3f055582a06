import * as assert from "node:assert/strict";
import { TempDir } from "../support/temp_dir.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";
import { button } from "./files_page.ts";
import { begin, drop, makeFile, STOPPED, uploadLimit } from "./slow_uploads.ts";

Deno.test({
  name: "C 21, C 24: an upload of a dropped file goes on with a click, or says why it does not",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using directory = await TempDir.make();
    const file = `${directory.path}/weights.bin`;
    const elsewhere = `${directory.path}/moved.bin`;
    const content = await makeFile(file);
    await using browser = await TestBrowser.start();
    const page = await browser.signIn();
    const panel = page.getByRole("region", { name: "Uploads" });
    const choose = panel.getByText("Choose the file again to resume");
    await page.getByText("No files yet").waitFor();
    const limit = uploadLimit(page);
    await begin(page, file, (page, path) => drop(page, [path]), limit);

    await t.step("it is listed, and does not ask for the file", async () => {
      await page.reload();
      await panel.getByText(STOPPED).waitFor();
      await button(page, "Resume").waitFor();
      assert.equal(await choose.count(), 0);
    });
    await t.step("a file that was moved meanwhile is asked for, with the reason", async () => {
      await Deno.rename(file, elsewhere);
      await button(page, "Resume").click();
      await page.getByText(/^“weights\.bin” cannot be read again: ./).waitFor();
      await choose.waitFor();
      await button(page, "Choose file").waitFor();
    });
    await t.step("one that has changed is, too", async () => {
      await page.reload();
      await button(page, "Resume").waitFor();
      await Deno.writeTextFile(file, "other");
      await button(page, "Resume").click();
      await page.getByText("“weights.bin” has 5 bytes, and the upload began with 38.1 MiB")
        .waitFor();
      await choose.waitFor();
    });
    await t.step("so is one that the person does not permit to read", async () => {
      await page.reload();
      await button(page, "Resume").waitFor();
      await page.evaluate(
        "FileSystemFileHandle.prototype.requestPermission = async () => 'denied'",
      );
      await button(page, "Resume").click();
      await page.getByText("“weights.bin” cannot be read again: the browser does not permit it")
        .waitFor();
      await choose.waitFor();
    });
    await t.step("the same file goes on, without a new upload", async () => {
      await Deno.rename(elsewhere, file);
      await page.reload();
      const created: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") created.push(request.url());
      });
      await (await limit)(undefined);
      await button(page, "Resume").click();
      await page.getByRole("strong").filter({ hasText: "Uploaded 1 file" }).waitFor();
      assert.deepEqual(created, []);
      assert.ok(content.equals(await (await browser.server.as(1)).bytes({ path: "weights.bin" })));
    });
  },
});
