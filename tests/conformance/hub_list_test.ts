import * as assert from "node:assert/strict";
import * as v from "valibot";
import type { Client } from "../support/client.ts";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { newRecord } from "../support/seed.ts";
import { TestServer } from "../support/server.ts";

const Listed = v.array(v.looseObject({
  id: v.string(),
  lastModified: v.string(),
  sha: v.optional(v.string()),
  siblings: v.optional(v.array(v.object({ rfilename: v.string() }))),
}));

/** The repositories of a list, page by page, and how many pages there were. */
async function listed(hub: HubClient, query: string, kind = "models") {
  const items: v.InferOutput<typeof Listed> = [];
  let pages = 0;
  for (let next: string | undefined = `/api/${kind}?${query}`; next !== undefined; pages++) {
    assert.ok(pages < 20, next);
    const reply = await hub.send("GET", next);
    items.push(...v.parse(Listed, jsonOf(reply)));
    next = /^<(.*)>; rel="next"$/.exec(reply.headers.get("Link") ?? "")?.[1]
      ?.slice(hub.url.length);
  }
  return { items, ids: items.map(({ id }) => id), pages };
}

/** Makes repositories one after the other, none in the same millisecond as another. */
async function make(user: Client, kind: string, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    await user.put(`${kind}/${id}/a.txt`, id);
    const made = Date.now();
    while (Date.now() === made) await new Promise((resolve) => setImmediate(resolve));
  }
}

Deno.test("C 31 lists of repositories are sorted, by author and search too, and in pages", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  await make(user, "models", "b/first", "a/second", "b/third", "c/fourth");
  await make(user, "datasets", "b/rows", "a/rows");
  await make(await server.as(8), "models", "a/foreign");

  await t.step("C 31 by when they were made, the newest first", async () => {
    const newest = ["c/fourth", "b/third", "a/second", "b/first"];
    assert.deepEqual((await listed(hub, "sort=createdAt")).ids, newest);
    assert.deepEqual((await listed(hub, "sort=created_at&direction=-1")).ids, newest);
    assert.deepEqual((await listed(hub, "sort=createdAt&direction=1")).ids, newest.toReversed());
    assert.deepEqual((await listed(hub, "sort=createdAt", "datasets")).ids, ["a/rows", "b/rows"]);
  });
  await t.step("C 31 by the last change of a file, which the list shows", async () => {
    await user.put("models/b/first/sub/new.txt", "new");
    const { items, ids } = await listed(hub, "sort=lastModified");
    assert.deepEqual(ids, ["b/first", "c/fourth", "b/third", "a/second"]);
    const { lastModified } = Object(jsonOf(await hub.send("GET", "/api/models/b/first")));
    assert.equal(items[0]?.lastModified, lastModified);
  });
  await t.step("C 31 in pages, with all parameters, also when something changes", async () => {
    for (const query of ["sort=createdAt", "sort=lastModified", "sort=createdAt&direction=1"]) {
      const whole = (await listed(hub, query)).ids;
      assert.deepEqual(await listed(hub, `${query}&limit=1`), {
        ...await listed(hub, query),
        pages: 4,
      });
      assert.deepEqual((await listed(hub, `${query}&limit=3`)).ids, whole);
    }
    assert.deepEqual((await listed(hub, "sort=createdAt&author=b&limit=1")).ids, [
      "b/third",
      "b/first",
    ]);
    assert.deepEqual((await listed(hub, "sort=createdAt&search=IR&limit=1")).ids, [
      "b/third",
      "b/first",
    ]);
    const first = await hub.send("GET", "/api/models?sort=createdAt&limit=2");
    const next = /^<(.*)>/.exec(first.headers.get("Link") ?? "")?.[1]?.slice(hub.url.length);
    await make(user, "models", "z/newest");
    await user.remove({ path: "models/b/third" });
    const rest = v.parse(Listed, jsonOf(await hub.send("GET", next ?? "")));
    assert.deepEqual(rest.map(({ id }) => id), ["a/second", "b/first"]);
  });
  await t.step("C 31 what is not counted is the same for all: by name", async () => {
    for (const sort of ["downloads", "likes", "trendingScore"]) {
      const { ids, pages } = await listed(hub, `sort=${sort}&direction=-1&limit=2`);
      assert.deepEqual(ids, ["a/second", "b/first", "c/fourth", "z/newest"]);
      assert.ok(pages >= 2);
    }
  });
  await t.step("C 31 anything else is refused in words", async () => {
    const refusal = async (query: string) =>
      hubRefused(await hub.send("GET", `/api/models?${query}`), 400);
    assert.match(await refusal("sort=size"), /sort "size": expected createdAt or lastModified/);
    assert.match(await refusal("sort=createdAt&direction=0"), /direction "0": expected 1 or -1/);
    assert.match(await refusal("sort=createdAt&cursor=a/b"), /cursor "a\/b": expected/);
    assert.match(await refusal("gated=true"), /Unsupported parameter gated/);
    assert.match(await refusal("num_parameters=many"), /Invalid num_parameters/);
  });
});

Deno.test("C 31 a full list has the commit id and the files of each repository", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  await make(user, "models", "a/one", "a/two");
  await user.put("models/a/one/sub/b.txt", "b");
  await user.put("models/a/one/.lfs/hidden", "hidden");
  await user.mkdir("models/a/empty");

  await t.step("C 31 as the information on each has them", async () => {
    for (const query of ["full=True", "full=true&sort=createdAt&limit=1", "expand=siblings"]) {
      const { items } = await listed(hub, query);
      assert.deepEqual(items.map(({ id }) => id).sort(), ["a/empty", "a/one", "a/two"]);
      for (const { id, sha, siblings, lastModified } of items) {
        const info = Object(jsonOf(await hub.send("GET", `/api/models/${id}`)));
        assert.deepEqual({ sha, siblings, lastModified }, {
          sha: info.sha,
          siblings: info.siblings,
          lastModified: info.lastModified,
        });
      }
    }
  });
  await t.step("C 31 a page has 50 of them, and no more than 1000 files of one", async () => {
    for (let index = 0; index < 60; index++) await user.mkdir(`models/many/r${100 + index}`);
    const { ids, pages } = await listed(hub, "full=true");
    assert.deepEqual([ids.length, pages], [63, 2]);
    const files = Array.from({ length: 1001 }, (_, index) => [`${index}`, "x"]);
    await user.upload("models/a/two", Object.fromEntries(files));
    const { items } = await listed(hub, "full=true&author=a&search=two");
    assert.deepEqual([items[0]?.siblings, typeof items[0]?.sha], [undefined, "string"]);
  });
});

Deno.test("C 31 at most 1000 repositories are sorted, which bounds the work of a request", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const directories = ["models/", "models/a/", "models/b/", "models/b/one/"].concat(
    Array.from({ length: 1000 }, (_, index) => `models/a/r${index}/`),
  );
  await server.tree.records.write((transaction) =>
    transaction.insert(directories.map((path) => newRecord({ path, userId: 7 })))
  );
  const refusal = await hub.send("GET", "/api/models?sort=createdAt");
  assert.match(hubRefused(refusal, 400), /more than 1000 repositories: name an author/);
  assert.equal((await listed(hub, "sort=createdAt&author=a")).ids.length, 1000);
  assert.equal((await listed(hub, "sort=lastModified&author=a&limit=300")).pages, 4);
});
