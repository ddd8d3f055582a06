import { guideTest } from "./guide.ts";

guideTest("docs/securing.md");
