import { guideTest } from "./guide.ts";

guideTest("docs/architecture.md", { serves: false });
