import * as assert from "node:assert/strict";
import { S3Client } from "../support/s3_client.ts";
import { objectsOf } from "../support/s3_objects.ts";
import { pagesOf, versionsIn, versionsOf } from "../support/s3_versions.ts";
import { TestServer } from "../support/server.ts";

const KEEPING = { settings: { history: 86_400_000 } };

Deno.test("C 26, 30 without history, a list of versions goes on behind directories", async () => {
  await using server = await TestServer.start({ settings: { history: undefined } });
  const client = await S3Client.of(server);
  const { put } = objectsOf(client);
  for (const key of ["a/b/c/x", "a/b/c/y", "d/e/f/z", "g"]) await put(key);
  const ALL = ["a/b/c/x null*", "a/b/c/y null*", "d/e/f/z null*", "g null*"];
  for (const size of ["1", "2", "3"]) {
    assert.deepEqual(await pagesOf(versionsOf(client), { "max-keys": size }), ALL, size);
  }
});

Deno.test("C 30 a list of versions begins at its marker by bytes, and goes on after a key like a prefix", async () => {
  await using server = await TestServer.start(KEEPING);
  const client = await S3Client.of(server);
  const { put } = objectsOf(client);
  const versions = versionsOf(client);
  // By bytes, the smile is last; by UTF-16, it is first.
  const [first, last] = ["\uffee", "\u{1f600}"];
  for (const key of [first, `${first}1`, last, "a-", "a-b", "ab", "abc-d"]) await put(key);
  const at = async (query: Record<string, string>) => versionsIn(await versions.list(query));
  assert.deepEqual(await at({ prefix: last, "key-marker": first }), [`${last} 3*`]);
  assert.deepEqual(await at({ prefix: first, "key-marker": last }), []);

  const inDashes = { prefix: "a-", delimiter: "-" };
  assert.deepEqual(await pagesOf(versions, { ...inDashes, "max-keys": "1" }), [
    "a- 4*",
    "a-b 5*",
  ]);
  assert.deepEqual(await at({ ...inDashes, "key-marker": "a-" }), ["a-b 5*"]);
  assert.deepEqual(await at({ delimiter: "-", prefix: "a", "key-marker": "a-" }), [
    "ab 6*",
    "abc-",
  ]);
  // A client may send the version of an earlier page with a common prefix.
  const late = { "key-marker": "a-", "version-id-marker": "6" };
  assert.deepEqual(await at({ delimiter: "-", prefix: "a", ...late }), ["ab 6*", "abc-"]);
  // The marker is one shorter than the delimiter, which is not in it.
  assert.deepEqual(await at({ delimiter: "bc-", prefix: "a", "key-marker": "ab" }), ["abc-"]);
});

Deno.test("C 30 common prefixes of versions that were read together are listed together", async () => {
  await using server = await TestServer.start(KEEPING);
  const client = await S3Client.of(server);
  const { put } = objectsOf(client);
  const versions = versionsOf(client);
  for (const key of ["a", "b/1", "b/2", "c/1", "c/2", "c/3", "d/1", "e"]) await put(key);
  const { history } = server.tree.records;
  assert.ok(history);
  const states = history.states.bind(history);
  let reads = 0;
  history.states = (query) => {
    reads++;
    return states(query);
  };
  const ALL = ["a 1*", "b/", "c/", "d/", "e 8*"];
  assert.deepEqual(versionsIn(await versions.list({ delimiter: "/" })), ALL);
  assert.equal(reads, 1);
  for (const size of ["1", "2", "3"]) {
    assert.deepEqual(await pagesOf(versions, { delimiter: "/", "max-keys": size }), ALL, size);
  }
});
