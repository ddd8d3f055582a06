import { guideTest } from "./guide.ts";

guideTest("docs/guides/first_hour.md", {
  serves: false,
  // It ends with a backup.
  isEmbedded: true,
});
