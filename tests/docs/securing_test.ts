import { guideTest } from "./guide.ts";

guideTest("docs/guides/securing.md");
