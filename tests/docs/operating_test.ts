import { guideTest } from "./guide.ts";

guideTest("docs/guides/operating.md");
