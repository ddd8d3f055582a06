import { HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";
import { row } from "./files_page.ts";

Deno.test({
  name:
    "C 21 and C 24 a list says what of the quota is taken as that changes, and warns where little is left",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("", { "a.bin": "a".repeat(3072) });
    const page = await browser.signIn({ quota: 10_240 });
    await row(page, "a.bin").waitFor();
    await page.getByText("30 % of 10.0 KiB used", { exact: true }).waitFor();
    await client.upload("d", { "b.bin": "b".repeat(6656) });
    await page.getByText("Nearly full: 95 % of 10.0 KiB used").waitFor();
    await client.mkdir("empty");
    await page.evaluate(`location.hash = "#/files/empty"`);
    await page.getByText("This folder is empty").waitFor();
    await page.getByText("Nearly full: 95 % of 10.0 KiB used").waitFor();
    await client.remove({ path: "a.bin" });
    await page.getByText("Nearly full").waitFor({ state: "hidden" });
    await page.evaluate(`location.hash = "#/files"`);
    await page.getByText("65 % of 10.0 KiB used", { exact: true }).waitFor();
  },
});
