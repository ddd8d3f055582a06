import { copyFiles, guideTest, MODELS } from "./guide.ts";

guideTest("docs/sharing.md", { prepare: (reader) => copyFiles(reader, MODELS) });
