import { copyFiles, guideTest, MODELS } from "./guide.ts";

guideTest("docs/guides/s3.md", {
  env: { RCLONE_CONFIG: "/dev/null", STRONGROOM_HISTORY: "30d" },
  prepare: (reader) => copyFiles(reader, MODELS),
});
