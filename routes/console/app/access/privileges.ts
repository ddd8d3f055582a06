/** What each privilege permits, in the words of the console. */
export const PRIVILEGES: readonly (readonly [privilege: string, permits: string])[] = [
  ["resources.view", "See files, folders and verdicts"],
  ["resources.upload", "Upload files"],
  ["resources.edit", "Make folders, rename, move, copy and replace"],
  ["resources.delete", "Delete"],
  ["resources.download", "Download, and share by links"],
  ["scans.view", "See scans and reports"],
  ["scans.run", "Scan, cancel scans and remove them"],
  ["capacity.view", "See the capacity of the host"],
  ["metrics.view", "Read the metrics"],
  ["mirror.use", "Use models and data sets of the hub that is mirrored"],
  ["users.admin", "Invite, change and disable people"],
  ["resources.admin", "All of this in every tree, waivers and the audit log"],
];

/** Those that count in the tree of another user. */
export const TREE_PRIVILEGES = PRIVILEGES.filter(([privilege]) =>
  /^(?:resources|scans)\./.test(privilege)
);
