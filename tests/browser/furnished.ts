/** A strongroom in which each room has something to show: for screenshots, and for tests of how the rooms look. */

import type { Page } from "playwright-core";
import { TestAuthenticator } from "../support/authenticator.ts";
import { Client, dataOf } from "../support/client.ts";
import { inviteTo, TestConsole } from "../support/console.ts";
import { HubDouble } from "../support/hub_double.ts";
import { download, mirrorClient } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { signatureFile, SIGNED_MODEL, trusted } from "../support/signatures.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { type BrowserOptions, credentialOf, TestBrowser, WORKER } from "./browser.ts";
import { choose } from "./files_page.ts";
import { notebook, png, safetensors, zip } from "./preview_files.ts";

/** All that a person may do who administers. */
const ALL = [...WORKER, "mirror.use", "resources.admin", "users.admin"];
/** The user whose tree it is: a person with a passkey. */
const ANA = 77;

/** A room, or a page within one: its name, its address, and what is seen when it has come. */
type Place = readonly [name: string, hash: string, shown: (page: Page) => Promise<void>];

const words = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();
const region = (name: string) => (page: Page) =>
  page.getByRole("region", { name, exact: true }).first().waitFor();

/** Has the facts shown that narrow a search, as a phone does on request. */
async function openFacts(page: Page): Promise<void> {
  const facts = page.getByRole("button", { name: "Facts", exact: true });
  if (await facts.getAttribute("aria-expanded") === "false") await facts.click();
  await page.getByRole("combobox", { name: "Format", exact: true }).waitFor();
}

/** Uploads a file to a taken name. */
async function conflict(page: Page): Promise<void> {
  await words("notes.txt")(page);
  await choose(page, "Upload files", { name: "notes.txt", size: 2000 });
  await words("There is a file of this name")(page);
}

/** Each room of the console, with something in it. */
export const PLACES: readonly Place[] = [
  ["files", "#/files", words(/\d dangerous/)],
  ["folder", "#/files/models/llama-finetuned", words("Dangerous")],
  ["empty-folder", "#/files/datasets", words("This folder is empty")],
  ["file-dangerous", "#/file/models/llama-finetuned/optimizer.pkl", words("builtins.eval")],
  ["file-document", "#/file/models/llama-finetuned/README.md", region("Document")],
  ["file-tensors", "#/file/models/llama-finetuned/model.safetensors", region("Tensors")],
  ["file-notebook", "#/file/train.ipynb", region("Notebook")],
  ["file-members", "#/file/archive.zip", region("Members")],
  ["file-image", "#/file/figure.png", region("Image")],
  ["model", "#/model/models/llama-finetuned", region("Card")],
  ["model-signed", "#/model/models/signed", region("Signature")],
  ["history", "#/history/models", words("Added")],
  ["compared", "#/compare/models?from=1", words("Added")],
  ["as-of", "#/files?at=v1.0", words("As of “v1.0”")],
  ["trash", "#/trash", words("Delete for good")],
  ["tags", "#/tags", words("As agreed with the board")],
  ["storage", "#/storage", region("By format")],
  ["scans", "#/scans", words("critical")],
  ["report", "#/scans/1", words("critical finding")],
  ["reports-compared", "#/scans/compare/1/2", words("Scans 1 and 2 compared")],
  ["mirror", "#/mirror", words("google/gemma")],
  ["revision", "#/mirror/1", words("files are let through")],
  ["capacity", "#/capacity", words("Pressure:")],
  ["access", "#/access", words("bob")],
  ["facets", "#/files?kind=model", openFacts],
  [
    "differences",
    "#/differences/models/signed?from=models/llama-finetuned",
    words("are different"),
  ],
  // Its upload waits from now on.
  ["conflict", "#/files", conflict],
];

export interface Furnished extends AsyncDisposable {
  readonly browser: TestBrowser;
  /** A page of a person who administers, and is signed in. */
  readonly page: Page;
}

/** Starts a server with all of it, and opens a page. */
export async function furnish(
  options: Pick<BrowserOptions, "colorScheme" | "viewport"> = {},
): Promise<Furnished> {
  await using parts = new AsyncDisposableStack();
  const hub = parts.use(HubDouble.start());
  hub.add("google/gemma", {
    "config.json": `{"model_type":"gemma"}`,
    "README.md": "# Gemma",
    "model.safetensors": { content: safetensors({ __metadata__: {} }) },
  });
  const browser = parts.use(
    await TestBrowser.start({
      ...options,
      settings: {
        ...{ gate: "mark", history: 86_400_000, mirrorUrl: hub.url },
        mirrorHosts: [hub.contentHost],
      },
      signers: await trusted(),
    }),
  );
  const { server } = browser;
  const admin = await server.as(1000, ...ALL);
  for (const [name, groups] of [["ana", ["admins"]], ["bob", ["members", "vision"]]] as const) {
    await admin.json("POST", "/users/", { name, groups, ...(name === "ana" && { number: ANA }) });
  }
  const ana = new TestConsole(server);
  await ana.accept(await inviteTo(admin, "ana"), new TestAuthenticator(), "Security key");
  await fill(browser);
  const [name = "", value = ""] = ana.cookie.split("=");
  await browser.context.addCookies([{ name, value, url: `${server.origin}/console/` }]);
  const page = await browser.open();
  await page.getByRole("navigation", { name: "Rooms" }).waitFor();
  const owned = parts.move();
  return { browser, page, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A file of tensors with as much data as its header says. */
function withData(header: Readonly<Record<string, { readonly data_offsets: readonly number[] }>>) {
  const head = safetensors(header);
  const bytes = Math.max(...Object.values(header).flatMap((it) => it.data_offsets));
  const file = new Uint8Array(head.length + bytes);
  file.set(head);
  return file;
}

async function fill({ server }: TestBrowser): Promise<void> {
  // Who mints credentials has one that can be revoked.
  const claims = { userId: ANA, privileges: ALL, jti: "ana" };
  const client = new Client(server.url, await credentialOf(claims));
  const model = "models/llama-finetuned";
  const tensor = (shape: readonly number[], from: number) => ({
    dtype: "F16",
    shape,
    data_offsets: [from, from + 2 * shape.reduce((product, it) => product * it, 1)],
  });
  await client.upload(model, {
    "README.md": await modelFile("huggingface/model/README.md"),
    "config.json": await modelFile("huggingface/model/config.json"),
    "model.safetensors": withData({
      "model.embed_tokens.weight": tensor([512, 64], 0),
      "model.layers.0.self_attn.q_proj.weight": tensor([64, 64], 65_536),
      "model.layers.0.mlp.up_proj.weight": tensor([256, 64], 73_728),
      "model.layers.1.self_attn.q_proj.weight": tensor([64, 64], 106_496),
    }),
    "optimizer.pkl": await modelFile("pickle/hostile/eval.pkl"),
    "a-name-that-is-so-long-that-it-needs-more-than-a-line-of-a-phone-q4_k_m.gguf": "GGUF",
  });
  await client.json("POST", "/tags/", {
    name: "v1.0",
    path: "",
    message: "As agreed with the board",
  });
  for (const [path, content] of Object.entries(SIGNED_MODEL)) {
    await client.put(`models/signed/${path}`, content);
  }
  await client.put("models/signed/model.sig", await signatureFile("certificate.sig"));
  await client.upload("", {
    "notes.txt": "first\nsecond\n",
    "old.txt": "x".repeat(5000),
    "archive.zip": zip({
      "a.txt": "a",
      "inner/eval.pkl": await modelFile("pickle/hostile/eval.pkl"),
    }),
    "figure.png": png(40, 20),
    "train.ipynb": notebook([{ cell_type: "markdown", source: "# Training" }, {
      cell_type: "code",
      source: "loss = train(model)\nprint(loss)",
      outputs: [{ output_type: "stream", text: ["0.12\n"] }],
    }]),
  });
  await client.put("notes.txt", "first\nsecond\nthird\n");
  await client.remove({ path: "old.txt" });
  await client.mkdir("datasets");
  await settledVerdicts(client);
  for (const path of ["models", "notes.txt"]) {
    await client.json("POST", "/scans/?wait=60", { path });
  }
  await client.json("POST", "/links/", { path: "notes.txt", expires_in: "1d" });
  dataOf(
    await client.json("POST", "/tokens/", {
      privileges: ["resources.view"],
      label: "nightly sync",
    }),
  );
  await download(await mirrorClient(server, ANA, ALL), "/google/gemma/resolve/main/config.json");
}
