import * as assert from "node:assert/strict";
import { assertAccessible } from "./axe.ts";
import { ENDLESS } from "../support/endless_scanner.ts";
import { ScanRoom } from "../support/scan_room.ts";
import { enterCredential, HAS_BROWSER, TestBrowser, WORKER } from "./browser.ts";

Deno.test({
  name: "C 24: the room Capacity shows pressure, readings as plots, leases and who waits",
  ignore: !HAS_BROWSER,
  async fn(t) {
    let load = 1;
    await using browser = await TestBrowser.start({
      host: {
        stats: () => ({
          CPUCores: 4,
          LoadAvg1m: load,
          MemTotalMB: 16_384,
          MemAvailableMB: 12_288,
          DiskFreeMB: 102_400,
        }),
      },
      // Its lease is held.
      contents: ENDLESS,
    });
    const client = await browser.server.as(1, ...WORKER);
    const page = await browser.signIn();

    await t.step("readings are plots with their values in words", async () => {
      await page.getByRole("link", { name: "Capacity" }).click();
      await page.getByRole("heading", { name: "Capacity" }).waitFor();
      await page.getByRole("img", { name: "Load of 4 cores: 25 % now" }).waitFor();
      await page.getByRole("img", { name: "Memory of 16.0 GiB: 25 % now" }).waitFor();
      await page.getByText("Pressure: OK").waitFor();
      await page.getByText("No tool runs.").waitFor();
      await assertAccessible(page);
    });
    await t.step("new readings and leases appear by themselves", async () => {
      await client.upload("models", { "a.bin": "a" });
      await client.send("POST", "/scans/", {
        headers: { "Content-Type": "application/json" },
        body: `{"path":"models"}`,
      });
      load = 3.9;
      await page.getByRole("img", { name: "Load of 4 cores: 98 % now, 25 % to 98 %" }).waitFor();
      await page.getByText("Pressure: Critical").waitFor();
      await page.getByRole("img", { name: /^Running scans, .*: 1 now, 0 to 1/ }).waitFor();
      await page.getByRole("group", { name: "Held leases" }).getByRole("row").nth(1).waitFor();
    });
  },
});

Deno.test({
  name: "C 24: the room Capacity names the scans of the shown tree that wait",
  ignore: !HAS_BROWSER,
  async fn() {
    const room = new ScanRoom();
    await using browser = await TestBrowser.start({ host: room.host });
    const client = await browser.server.as(1, ...WORKER);
    await client.upload("models", { "a.bin": "a", "b.bin": "b" });
    const start = (path: string) => client.json("POST", "/scans/", { path });
    await start("models/a.bin");
    const page = await browser.signIn();
    await page.getByRole("link", { name: "Capacity" }).click();
    const list = page.getByRole("list", { name: "Scans that wait" });
    await list.getByRole("link", { name: "Scan 1: models/a.bin" }).waitFor();
    await start("models");
    await list.getByRole("link", { name: "Scan 2: models" }).waitFor();
    await assertAccessible(page);
    room.isOpen = true;
    await page.getByText("No scan of this tree waits.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await enterCredential(page, { privileges: ["resources.view", "capacity.view"] });
    await page.getByText("Which scans run and wait is not shown").waitFor();
  },
});

Deno.test({
  name:
    "C 19, C 24: the room Capacity counts the scans of other trees that run, without their paths",
  ignore: !HAS_BROWSER,
  async fn() {
    await using browser = await TestBrowser.start({ contents: ENDLESS });
    const start = async (user: number, path: string) => {
      const client = await browser.server.as(user, ...WORKER);
      await client.upload(path, { "a.bin": "a" });
      await client.json("POST", "/scans/", { path });
    };
    await start(2, "unseen");
    const page = await browser.signIn();
    await page.getByRole("link", { name: "Capacity" }).click();
    const list = page.getByRole("list", { name: "Scans that run" });
    await list.getByText("1 scan of another tree").waitFor();
    await start(1, "models");
    await list.getByRole("link", { name: "Scan 2: models" }).waitFor();
    // With the next reading of the host.
    await list.getByRole("listitem").nth(1).getByText("1 scan of another tree").waitFor();
    assert.doesNotMatch(await page.content(), /unseen/);
    await assertAccessible(page);
  },
});
