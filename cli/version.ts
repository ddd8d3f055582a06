import config from "../deno.json" with { type: "json" };

/** `strongroom --version`: prints the version, which `deno.json` holds. */
export function run(): number {
  console.log(`strongroom ${config.version}`);
  return 0;
}
