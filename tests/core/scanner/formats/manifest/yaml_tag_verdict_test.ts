import { TAGS } from "./hostile_manifests.ts";
import { assertFound } from "./manifest_scan.ts";

Deno.test("scanning 2.11, 3: reports tags that make a loader run code", async (t) => {
  await assertFound(t, TAGS);
});
