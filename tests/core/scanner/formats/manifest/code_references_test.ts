import { LOADERS, MODEL_REFERENCES, REMOTE_CODE, TARGETS } from "./hostile_manifests.ts";
import { assertFound } from "./manifest_scan.ts";

Deno.test("scanning 2.11, 3: reports code that a loader runs from the repository", async (t) => {
  await assertFound(t, REMOTE_CODE);
});

Deno.test("scanning 2.11, 3: reports dangerous and unknown import targets", async (t) => {
  await assertFound(t, TARGETS);
});

Deno.test("evasion 77: reports files and modules that a manifest names to a loader", async (t) => {
  await assertFound(t, MODEL_REFERENCES);
});

Deno.test("evasion 96: reports modules that load models of MLflow, and what jsonpickle calls", async (t) => {
  await assertFound(t, LOADERS);
});
