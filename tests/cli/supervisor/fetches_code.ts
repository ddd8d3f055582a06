/** Tries to fetch code from the hosts of registries, and from another one. */
const MODULES = [
  "https://deno.land/std@0.1.0/no_such_module.ts",
  "https://strongroom.invalid/module.ts",
  "npm:strongroom-no-such-package",
];

for (const module of MODULES) {
  try {
    await import(module);
    console.log("imported");
  } catch (error) {
    console.log(String(error).replaceAll("\n", " "));
  }
}
