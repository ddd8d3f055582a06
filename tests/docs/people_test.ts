import { guideTest } from "./guide.ts";

guideTest("docs/guides/people.md");
