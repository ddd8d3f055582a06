import * as assert from "node:assert/strict";
import {
  FIXTURE_PATHS,
  MODELS,
  putPackage,
  serverReport,
  withoutTimes,
} from "../packaging/scanner/fixture_reports.ts";
import { TempDir } from "../support/temp_dir.ts";
import { HAS_BROWSER, openContext } from "./browser.ts";

/** A page as strict as the console: no code but that of its server, and trusted types. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; " +
  "require-trusted-types-for 'script'; trusted-types strongroom-scanner";

/** Serves a page, the package and the fixtures on this host. */
function serveFiles(packageDirectory: string): Deno.HttpServer<Deno.NetAddr> {
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  return Deno.serve(options, async (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname);
    if (path === "/") {
      const headers = { "Content-Type": "text/html", "Content-Security-Policy": POLICY };
      return new Response("<!doctype html><title>Scanner</title>", { headers });
    }
    const isModule = path.endsWith(".js") && !path.startsWith("/models/");
    const file = isModule ? packageDirectory + path : MODELS + path.replace("/models", "");
    return new Response(await Deno.readFile(file), {
      headers: isModule ? { "Content-Type": "text/javascript" } : {},
    });
  });
}

/** How many fixtures are scanned in one call. Their reports are sent over a pipe. */
const BATCH = 40;

Deno.test({
  name: "SR the scanner's package works in a browser, without code of the runtime",
  ignore: !HAS_BROWSER,
  async fn(t) {
    await using directory = await TempDir.make();
    await using server = serveFiles(await putPackage(directory.path));
    const context = await openContext();
    await using _closing = { [Symbol.asyncDispose]: () => context.close() };
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.addr.port}/`);

    await t.step("its reports of all fixtures are those of the server, but for times", async () => {
      for (let start = 0; start < FIXTURE_PATHS.length; start += BATCH) {
        const paths = FIXTURE_PATHS.slice(start, start + BATCH);
        const reports = await page.evaluate(async (paths) => {
          const { scan } = await import("/scan.js" as string);
          const reports: string[] = [];
          for (const path of paths) {
            const content = await (await fetch(`/models/${encodeURI(path)}`)).blob();
            reports.push(JSON.stringify(await scan(path, content)));
          }
          return reports;
        }, paths);
        for (const [index, path] of paths.entries()) {
          const report = withoutTimes(JSON.parse(reports[index] ?? ""));
          assert.deepEqual(report, await serverReport(path), path);
        }
      }
    });
    await t.step("it takes async bytes and a signal, and refuses paths", async () => {
      const outcomes = await page.evaluate(async () => {
        const { scan } = await import("/scan.js" as string);
        const problem = (scanning: Promise<unknown>) => scanning.then(() => "none", String);
        const bytes = await (await fetch("/models/pickle/hostile/eval.pkl")).bytes();
        const report = await scan(
          "a.pkl",
          (async function* () {
            yield bytes.subarray(0, 5);
            yield bytes.subarray(5);
          })(),
        );
        const abort = new AbortController();
        const part = new Blob([new Uint8Array(2 ** 27)]);
        const large = scan("a.bin", new Blob(Array(64).fill(part)), { signal: abort.signal });
        setTimeout(() => abort.abort(new Error("enough")), 100);
        return {
          rules: report.issues.map((issue: { rule_code: string }) => issue.rule_code),
          aborted: await problem(large),
          path: await problem(scan("a.pkl", "/a.pkl")),
        };
      });
      assert.deepEqual(outcomes, {
        rules: ["S104"],
        aborted: "Error: enough",
        path: "TypeError: Browsers read no paths: expected a Blob or async bytes",
      });
    });
  },
});
