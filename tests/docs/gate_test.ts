import { copyFiles, guideTest, MODELS } from "./guide.ts";

guideTest("docs/guides/gate.md", {
  env: { STRONGROOM_GATE: "block" },
  prepare: (reader) => copyFiles(reader, MODELS),
});
