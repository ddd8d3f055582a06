import { copyFiles, guideTest, MODELS } from "./guide.ts";

guideTest("docs/guides/sharing.md", { prepare: (reader) => copyFiles(reader, MODELS) });
