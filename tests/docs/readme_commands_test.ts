import { guideTest } from "./guide.ts";
import { NEWCOMER } from "./newcomer.ts";

guideTest("README.md", NEWCOMER);
