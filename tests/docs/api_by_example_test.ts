import { copyFiles, guideTest, MODELS } from "./guide.ts";

guideTest("docs/guides/api_by_example.md", {
  prepare: (reader) => copyFiles(reader, MODELS),
});

guideTest("docs/guides/api_by_example.md", {
  title: ", its TypeScript in Node",
  runtime: "node",
  prepare: (reader) => copyFiles(reader, MODELS),
});
