import * as assert from "node:assert/strict";
import * as v from "valibot";
import { CapacityOverview } from "../../../schemas/capacity.ts";
import { dataOf, refused } from "../../support/client.ts";
import { TestServer } from "../../support/server.ts";

Deno.test("C 14 GET /capacity/", async (t) => {
  await using server = await TestServer.start();
  await t.step("C 1 and C 14 serves capacity.view and resources.admin", async () => {
    for (const client of [await server.as(1, "capacity.view"), await server.admin()]) {
      for (const path of ["/capacity", "/capacity/"]) {
        const overview = v.parse(CapacityOverview, dataOf(await client.send("GET", path)));
        assert.ok(overview.readings.MemTotalMB > 0);
        assert.deepEqual(overview.leases?.active, []);
        assert.equal(overview.tunables.length, 11);
      }
    }
  });
  await t.step("C 2 refuses everyone else", async () => {
    const one = await server.as(1);
    refused(await one.send("GET", "/capacity/"), 403, "ErrNotPermitted");
    const unknown = { headers: { Authorization: "Bearer x" } };
    refused(await one.send("GET", "/capacity/", unknown), 401, "ErrAuthRequired");
    refused(await one.send("POST", "/capacity/"), 405, "ErrMethodNotAllowed");
  });
  await t.step("capacity.view allows nothing else", async () => {
    const viewer = await server.as(1, "capacity.view");
    refused(await viewer.list(), 403, "ErrNotPermitted");
  });
});
