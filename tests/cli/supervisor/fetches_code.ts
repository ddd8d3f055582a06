/** Prints whether code may be fetched, and tries to fetch some. */
const MODULES = ["https://strongroom.invalid/module.ts", "npm:strongroom-no-such-package"];

console.log(Deno.permissions.querySync({ name: "import" }).state);
for (const module of MODULES) {
  try {
    await import(module);
    console.log("imported");
  } catch (error) {
    console.log(String(error).replaceAll("\n", " "));
  }
}
