import { guideTest } from "./guide.ts";

guideTest("docs/operating.md");
