/** The way of someone who looks for a model: the test and the screenshots take it. */

import type { Page } from "playwright-core";
import { dataOf, type Files } from "../support/client.ts";
import { type MadeTensor, safetensorsOf } from "../support/tensors.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { assertAccessible } from "./axe.ts";
import { type BrowserOptions, enterCredential, TestBrowser, WORKER } from "./browser.ts";
import { button, row } from "./files_page.ts";

const MODELS = "models/acme";
/** The model that is found. */
const CHOSEN = "chat-large";

interface Made {
  readonly license?: string;
  readonly architecture?: string;
  readonly dtype?: "F16" | "F32";
  /** What a second version has otherwise. */
  readonly context?: number;
}

/** The others differ from the one that is found in one fact each. */
const OTHERS: Readonly<Record<string, Made>> = {
  "chat-free": { license: "mit" },
  "chat-mistral": { architecture: "mistral" },
  "chat-precise": { dtype: "F32" },
  "embeddings": { license: "mit", architecture: "bert" },
};

function filesOf(
  { license = "apache-2.0", architecture = "llama", dtype = "F16", context = 4096 }: Made,
): Files {
  const bytes = dtype === "F16" ? 2 : 4;
  const tensor = (seed: number): MadeTensor => ({
    dtype,
    shape: [16, 16],
    data: Uint8Array.from({ length: 256 * bytes }, (_, index) => index * seed % 61),
  });
  const layers = Array.from({ length: 24 }, (_, layer) =>
    [
      `model.layers.${layer}.weight`,
      tensor(layer + 1),
    ] as const);
  const tensors = { ...Object.fromEntries(layers), "lm_head.weight": tensor(context) };
  return {
    "README.md": `---\nlicense: ${license}\nlibrary_name: transformers\n` +
      "pipeline_tag: text-generation\nlanguage: en\n---\n# Chat\n\nAnswers questions in English.\n" +
      `\nIts context has ${context} tokens.\n`,
    "config.json": JSON.stringify(
      { model_type: architecture, max_position_embeddings: context, num_hidden_layers: 24 },
      null,
      2,
    ),
    "model.safetensors": safetensorsOf(tensors),
  };
}

/** Finds a model by three facts, reads what has changed in it since its last version, and downloads it to `saved`. */
export async function findWalk(
  options: BrowserOptions,
  { saved, take }: {
    readonly saved: string;
    /** Called at each step, when the page shows it. */
    readonly take: (page: Page, title: string) => Promise<void>;
  },
): Promise<void> {
  const settings = { gate: "block", history: 86_400_000 } as const;
  await using browser = await TestBrowser.start({ settings, ...options });
  const client = await browser.server.as(1, ...WORKER);
  for (const [name, made] of Object.entries({ ...OTHERS, [CHOSEN]: {} })) {
    dataOf(await client.upload(`${MODELS}/${name}`, filesOf(made)));
  }
  dataOf(await client.replace(`${MODELS}/${CHOSEN}`, filesOf({ context: 8192 })));
  await settledVerdicts(client);
  const page = await browser.open();
  await page.getByLabel("Credential").waitFor();
  await enterCredential(page);
  await row(page, "models").waitFor();
  await take(page, "files");
  await button(page, "Find models").click();
  await page.getByText("5 matches", { exact: true }).waitFor();
  await take(page, "models");
  await choose(page, "License", "Apache-2.0");
  await page.getByText("3 matches", { exact: true }).waitFor();
  await choose(page, "Architecture", "llama");
  await page.getByText("2 matches", { exact: true }).waitFor();
  await choose(page, "Type", "float16");
  await page.getByText("1 match", { exact: true }).waitFor();
  await row(page, CHOSEN).getByText("Clean").waitFor();
  await assertAccessible(page);
  await take(page, "found");
  await row(page, CHOSEN).getByRole("link", { name: CHOSEN }).click();
  await page.getByRole("heading", { name: CHOSEN, level: 1 }).waitFor();
  await page.getByText("Its context has 8192 tokens").waitFor();
  await page.getByRole("link", { name: "What changed since the last version" }).waitFor();
  await take(page, "model");
  await page.getByRole("link", { name: "What changed since the last version" }).click();
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  await region("Tensors of model.safetensors").getByText(
    "1 tensor changed, 0 added, 0 removed, 24 equal.",
  ).waitFor();
  await region("config.json").getByText("max_position_embeddings").waitFor();
  await region("README.md").locator("ins").getByText("8192").waitFor();
  await assertAccessible(page);
  await take(page, "changes");
  await page.goBack();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Download").click(),
  ]);
  await take(page, "saved");
  await download.saveAs(saved);
}

/** Chooses a value of a fact. On a phone, the choices open on request. */
async function choose(page: Page, fact: string, value: string): Promise<void> {
  const choice = page.getByRole("combobox", { name: fact, exact: true });
  if (await choice.count() === 0) await button(page, "Facts").click();
  await choice.selectOption(value);
}
