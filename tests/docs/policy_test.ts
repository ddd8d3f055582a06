import { copyFiles, guideTest } from "./guide.ts";

guideTest("docs/guides/policy.md", {
  serves: false,
  prepare: (reader) =>
    copyFiles(reader, {
      "models/classifier.pkl": "tests/fixtures/models/pickle/hostile/eval.pkl",
      "models/weights.bin": "tests/fixtures/models/pickle/plain_3.pkl",
    }),
});
