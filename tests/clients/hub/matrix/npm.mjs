// Calls of the npm package @huggingface/hub, which is installed below the directory that is the argument.
import { createRequire } from "node:module";
import { env } from "node:process";

const hub = createRequire(`${process.argv[2]}/`)("@huggingface/hub");
// It takes only short credentials as such, and sends `undefined` in place of none.
const authorized = (url, init) => {
  const headers = new Headers(init?.headers);
  if (!/^Bearer hf_/.test(headers.get("Authorization") ?? "")) {
    headers.set("Authorization", `Bearer ${env.HF_TOKEN}`);
  }
  return fetch(url, { ...init, headers });
};
const options = { hubUrl: env.HF_ENDPOINT, fetch: authorized };
const REPO = "team/npm";
const FILES = { "README.md": "# Tiny\n", "config.json": "{}", "notes/a b.txt": "a\n" };
const LARGE = new Uint8Array(300_000).fill(7);

function header(tensors) {
  const json = new TextEncoder().encode(JSON.stringify(tensors));
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(json.length), true);
  return new Blob([size, json, new Uint8Array(40)]);
}

async function all(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

function equal(found, expected) {
  const [one, other] = [found, expected].map((it) => JSON.stringify(it));
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

const at = { ...options, repo: REPO };
const files = async (repo = REPO) =>
  (await all(hub.listFiles({ ...options, repo, recursive: true })))
    .filter(({ type }) => type === "file").map(({ path }) => path).sort();
const upload = (name, blob, repo = REPO) =>
  hub.uploadFile({ ...options, repo, file: { path: name, content: blob } });

const CALLS = {
  "npm whoAmI": async () => equal((await hub.whoAmI(options)).type, "user"),
  "npm createRepo": async () => {
    await hub.createRepo(at);
  },
  "npm createRepo private with a license": async () => {
    await hub.createRepo({ ...options, repo: "team/npm-mit", private: true, license: "mit" });
  },
  "npm createRepo dataset": async () => {
    await hub.createRepo({ ...options, repo: `datasets/${REPO}` });
  },
  "npm uploadFiles": async () => {
    const blobs = Object.entries(FILES).map(([path, text]) => ({
      path,
      content: new Blob([text]),
    }));
    await hub.uploadFiles({ ...at, files: blobs });
    equal(await files(), Object.keys(FILES).sort());
  },
  "npm uploadFile large": async () => {
    await upload("large.bin", new Blob([LARGE]));
  },
  "npm uploadFile safetensors": async () => {
    const tensors = { weight: { dtype: "F32", shape: [10], data_offsets: [0, 40] } };
    await upload("model.safetensors", header(tensors));
  },
  "npm modelInfo": async () => equal((await hub.modelInfo({ ...options, name: REPO })).name, REPO),
  "npm datasetInfo": async () =>
    equal((await hub.datasetInfo({ ...options, name: REPO })).name, REPO),
  "npm repoExists": async () => equal(await hub.repoExists(at), true),
  "npm checkRepoAccess": async () => {
    await hub.checkRepoAccess(at);
  },
  "npm fileExists": async () => equal(await hub.fileExists({ ...at, path: "config.json" }), true),
  "npm listFiles": async () => equal((await files()).includes("notes/a b.txt"), true),
  "npm pathsInfo": async () => {
    const found = await hub.pathsInfo({ ...at, paths: ["config.json"], expand: true });
    equal(found.map(({ path, size }) => [path, size]), [["config.json", 2]]);
  },
  "npm fileDownloadInfo": async () => {
    const info = await hub.fileDownloadInfo({ ...at, path: "large.bin" });
    equal(info.size, LARGE.length);
  },
  "npm downloadFile": async () => {
    const blob = await hub.downloadFile({ ...at, path: "notes/a b.txt" });
    equal(await blob.text(), "a\n");
  },
  "npm downloadFile range": async () => {
    const blob = await hub.downloadFile({ ...at, path: "large.bin" });
    equal((await blob.slice(10, 20).arrayBuffer()).byteLength, 10);
  },
  "npm downloadFile raw": async () => {
    equal(await (await hub.downloadFile({ ...at, path: "config.json", raw: true })).text(), "{}");
  },
  "npm snapshotDownload": async () => {
    await hub.snapshotDownload({ ...at, cacheDir: `${env.HOME}/npm-cache` });
  },
  "npm listModels": async () => {
    const found = await all(hub.listModels({ ...options, search: { owner: "team" }, limit: 5 }));
    equal(found.map(({ name }) => name).includes(REPO), true);
  },
  "npm listDatasets": async () => {
    equal((await all(hub.listDatasets({ ...options, limit: 5 }))).map(({ name }) => name), [REPO]);
  },
  "npm parseSafetensorsMetadata": async () => {
    const found = await hub.parseSafetensorsMetadata({ ...at, computeParametersCount: true });
    equal(found.parameterCount, { F32: 10 });
  },
  "npm listCommits": async () => equal((await all(hub.listCommits(at))).length, 1),
  "npm commit that deletes": async () => {
    const operations = [{ operation: "delete", path: "README.md" }];
    await hub.commit({ ...at, title: "Delete", operations });
    equal((await files()).includes("README.md"), false);
  },
  "npm deleteFiles": async () => {
    await hub.deleteFiles({ ...at, paths: ["config.json", "notes/a b.txt"] });
    equal(await files(), ["large.bin", "model.safetensors"]);
  },
  "npm deleteRepo": async () => {
    await hub.deleteRepo({ ...options, repo: "team/npm-mit" });
    equal(await hub.repoExists({ ...options, repo: "team/npm-mit" }), false);
  },
  "npm createBranch": async () => {
    await hub.createBranch({ ...at, branch: "dev" });
  },
  "npm deleteBranch": async () => {
    await hub.deleteBranch({ ...at, branch: "dev" });
  },
  "npm listSpaces": async () => {
    await all(hub.listSpaces(options));
  },
  "npm createCollection": async () => {
    await hub.createCollection({ ...options, collection: { title: "Some", namespace: "team" } });
  },
  "npm missing repository": async () => {
    await hub.modelInfo({ ...options, name: "team/missing" });
  },
  "npm bad credential": async () => {
    await hub.modelInfo({ ...options, name: REPO, accessToken: `hf_${"a".repeat(37)}` });
  },
};

for (const [call, run] of Object.entries(CALLS)) {
  let reply = { call, outcome: "works", words: "" };
  try {
    await run();
  } catch (error) {
    reply = { call, outcome: "refused", words: `${error.name}: ${error.message}` };
  }
  console.log(JSON.stringify(reply));
}
