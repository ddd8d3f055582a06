import { assertAccessible } from "./axe.ts";
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
      // No scan ends by itself, so its lease is held.
      contents: {
        async scan(_content, { signal }) {
          const { promise, reject } = Promise.withResolvers<never>();
          signal.addEventListener("abort", () => reject(signal.reason));
          return await promise;
        },
      },
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
      await page.getByRole("img", { name: "1 now, 0 to 1" }).waitFor();
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
    await page.getByText("Which scans wait is not shown").waitFor();
  },
});
