import { guideTest } from "./guide.ts";

guideTest("docs/guides/history.md", { env: { STRONGROOM_HISTORY: "30d" } });
