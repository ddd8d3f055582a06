import { copyFiles, guideTest, MODELS } from "./guide.ts";

guideTest("docs/first_hour.md", {
  serves: false,
  prepare: (reader) => copyFiles(reader, MODELS),
});
