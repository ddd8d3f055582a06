import { scanMutation } from "../fuzz/scan_mutations.ts";

Deno.test("C 15 the scan of any mutated file gives a report that conforms to SR", async () => {
  for (let seed = 0; seed < 1000; seed++) await scanMutation(seed);
});
