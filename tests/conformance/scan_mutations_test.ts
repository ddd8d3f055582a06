import { scanMutation } from "../fuzz/scan_mutations.ts";

Deno.test("C 15 whatever is done to a file, its scan gives a report of SR", async () => {
  for (let seed = 0; seed < 1000; seed++) await scanMutation(seed);
});
