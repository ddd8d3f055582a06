/** A browser for tests: Chromium of the system, or Firefox if TEST_BROWSER says so. */

import * as assert from "node:assert/strict";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { refreshConsole } from "../../cli/supervisor/console_files.ts";
import { freePort } from "../support/ports.ts";
import { mintToken, TestServer, type TestServerOptions } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";
import { MAX_WAIT_MS } from "../support/until.ts";
import { HAS_FIREFOX, launchFirefox } from "./firefox.ts";

/** The program without an interface takes a third less processor time. */
const CHROMIUM = await hasProgram("/usr/bin/chromium-headless-shell", "--version")
  ? "/usr/bin/chromium-headless-shell"
  : "/usr/bin/chromium";

/** Whether the browser is Firefox. */
export const IS_FIREFOX = Deno.env.get("TEST_BROWSER") === "firefox";

/** Whether the tests can run. They are skipped without the browser. */
export const HAS_BROWSER = IS_FIREFOX ? HAS_FIREFOX : await hasProgram(CHROMIUM, "--version");
if (IS_FIREFOX && !HAS_FIREFOX) console.log("Skipped: Firefox ESR is not installed");

/** Every privilege of a person who works with the console. */
export const WORKER = [
  "resources.view",
  "resources.upload",
  "resources.edit",
  "resources.delete",
  "resources.download",
  "scans.view",
  "scans.run",
  "capacity.view",
];

export interface BrowserOptions extends TestServerOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  /** The name of the server in addresses. @default its IP address */
  readonly hostname?: string;
  /** Where pages may go besides. @default nowhere */
  readonly provider?: string;
  /** A directory where the browser keeps its data, for {@link TestBrowser.reopen}. @default none is kept */
  readonly profile?: string;
}

type Claims = Partial<Parameters<typeof mintToken>[0]>;

/** Signs in on a page that asks for it, and waits until a room is shown. */
export async function enterCredential(
  page: Page,
  claims: Claims = {},
): Promise<void> {
  await page.getByLabel("Credential").fill(await credentialOf(claims));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Rooms" }).waitFor();
}

/** The cookie of a browser in which a person has signed in. */
export async function sessionOf(server: { readonly origin: string }, claims: Claims = {}) {
  const response = await fetch(`${server.origin}/console/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Strongroom-Console": "none" },
    body: JSON.stringify({ credential: await credentialOf(claims) }),
  });
  assert.equal(response.status, 200, await response.text());
  const [, name = "", value = ""] =
    /^([^=]+)=([^;]+)/.exec(response.headers.get("Set-Cookie") ?? "") ??
      [];
  return { name, value, url: `${server.origin}/console/` };
}

/** A credential for a person who works with the console. */
export function credentialOf(claims: Claims = {}): Promise<string> {
  return mintToken({ userId: 1, privileges: WORKER, ...claims });
}

/** How Chromium is started. */
export const CHROMIUM_OPTIONS = {
  executablePath: CHROMIUM,
  args: ["--no-sandbox"],
  timeout: MAX_WAIT_MS,
};
const launch = () => IS_FIREFOX ? launchFirefox(MAX_WAIT_MS) : chromium.launch(CHROMIUM_OPTIONS);
let shared: Promise<Browser> | undefined;
Deno.test.afterAll(endBrowser);

/**
 * Opens windows that share nothing with others. With a profile, they have a browser of their own; the others
 * have one together, as a start takes a second of processor time.
 */
export async function openContext(
  { viewport, colorScheme, profile }: BrowserOptions = {},
): Promise<BrowserContext> {
  await refreshConsole();
  const options = {
    viewport: viewport ?? { width: 1280, height: 800 },
    colorScheme: colorScheme ?? "light",
    acceptDownloads: true,
  };
  const context = profile === undefined
    ? await (await (shared ??= launch())).newContext(options)
    : await chromium.launchPersistentContext(profile, { ...CHROMIUM_OPTIONS, ...options });
  context.setDefaultTimeout(MAX_WAIT_MS);
  return context;
}

/** Ends the browser without a profile. The tests of a file end it by themselves, programs need to. */
export async function endBrowser(): Promise<void> {
  const ending = shared;
  shared = undefined;
  await (await ending)?.close();
}

/** A server and a browser that may reach this server only. */
export class TestBrowser implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;
  readonly #options: BrowserOptions;
  readonly #faults: string[] = [];
  #server: TestServer;
  #context: BrowserContext;

  private constructor(
    server: TestServer,
    context: BrowserContext,
    { parts, options }: {
      readonly parts: AsyncDisposableStack;
      readonly options: BrowserOptions;
    },
  ) {
    this.#server = server;
    this.#parts = parts;
    this.#options = options;
    this.#context = this.#watch(context);
  }

  static async start(given: BrowserOptions = {}): Promise<TestBrowser> {
    await using parts = new AsyncDisposableStack();
    const dataDir = given.dataDir ?? parts.use(await TempDir.make()).path;
    const options = { ...given, dataDir };
    const server = await TestServer.start({ ...options, port: freePort() });
    const context = await openContext(options);
    return new TestBrowser(server, context, { parts: parts.move(), options });
  }

  get context(): BrowserContext {
    return this.#context;
  }

  /** Ends the browser, and starts it again with what it keeps in its profile. */
  async reopen(): Promise<void> {
    await this.#context.close();
    this.#context = this.#watch(await openContext(this.#options));
  }

  /** Opens the console with the credential of a user, and waits until a room is shown. */
  async signIn(
    claims: Claims = {},
    hash = "",
  ): Promise<Page> {
    const page = await this.open(hash);
    await enterCredential(page, claims);
    return page;
  }

  /** Opens another page of the console, with the session of the browser. */
  async open(hash = ""): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(`${this.origin}/${hash}`);
    return page;
  }

  /** The URL of the server, without a path, as the browser has it. */
  get origin(): string {
    const { hostname = "127.0.0.1" } = this.#options;
    return this.server.origin.replace("127.0.0.1", hostname);
  }

  get server(): TestServer {
    return this.#server;
  }

  /** Ends the server, runs `meanwhile`, and starts one with its data at its address. */
  async restart(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { port } = this.#server.server.address;
    await this.#server[Symbol.asyncDispose]();
    await meanwhile();
    this.#server = await TestServer.start({ ...this.#options, port });
  }

  #watch(context: BrowserContext): BrowserContext {
    context.on("request", (request) => {
      const url = request.url();
      // What a page has made itself is at an address of its own.
      const address = url.replace(/^blob:/, "");
      const own = [this.origin, this.#options.provider].filter((it) => it !== undefined);
      if (!own.some((origin) => address.startsWith(`${origin}/`))) {
        this.#faults.push(`a request for ${url}`);
      }
    });
    context.on("page", (page) => this.#listen(page));
    return context;
  }

  #listen(page: Page): void {
    page.on("pageerror", (error) => this.#faults.push(`an error in the page: ${error.message}`));
    page.on("console", (message) => {
      // Chromium writes each refused request to the console.
      const isRefusal = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRefusal) this.#faults.push(message.text());
    });
  }

  /** @throws {AssertionError} when a page has asked another origin, or has failed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    await using _parts = this.#parts;
    await this.#context.close();
    await server[Symbol.asyncDispose]();
    assert.deepEqual(this.#faults, []);
  }
}
