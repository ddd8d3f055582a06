import { guideTest } from "./guide.ts";

guideTest("docs/reference/benchmarks.md", { serves: false });
