import * as assert from "node:assert/strict";
import { linkTo } from "../support/links.ts";
import { HAS_BROWSER, TestBrowser } from "./browser.ts";

Deno.test({
  name: "C 31 a browser downloads what a link serves whose token is in the fragment",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start();
    const user = await browser.server.as(1);
    await user.upload("", { "a.txt": "hello" });
    const { url } = await linkTo(user, "a.txt");
    const at = url.lastIndexOf("/") + 1;
    const page = await browser.context.newPage();
    const download = page.waitForEvent("download");
    await page.goto(`${url.slice(0, at)}#${url.slice(at)}`);
    assert.equal(await Deno.readTextFile(await (await download).path()), "hello");
  },
});
