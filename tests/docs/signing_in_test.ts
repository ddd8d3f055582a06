import { guideTest } from "./guide.ts";

guideTest("docs/guides/signing_in.md");
