import { HUB_ENVIRONMENT } from "../support/hub_clients.ts";
import { copyFiles, guideTest, MODELS } from "./guide.ts";

const { PATH: _, ...settings } = HUB_ENVIRONMENT;

guideTest("docs/guides/hub.md", {
  env: {
    ...settings,
    STRONGROOM_GATE: "block",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Anna",
    GIT_AUTHOR_EMAIL: "anna@example.com",
    GIT_COMMITTER_NAME: "Anna",
    GIT_COMMITTER_EMAIL: "anna@example.com",
  },
  prepare: async (reader) => {
    await copyFiles(reader, MODELS);
    await Deno.writeTextFile(`${reader.directory}/rows.csv`, "a,b\n1,2\n");
  },
});
