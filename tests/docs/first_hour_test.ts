import { guideTest } from "./guide.ts";

guideTest("docs/first_hour.md", {
  serves: false,
  // It ends with a backup.
  isEmbedded: true,
});
