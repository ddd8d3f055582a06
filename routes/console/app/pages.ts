/**
 * Files, storage, scans, reports and the mirror, which browsers load together when one of them is opened: they share much, and
 * each part that is loaded by itself takes a request more for what it shares with the first page.
 */

export { DifferencesView } from "./differences/view.ts";
export { FileView } from "./file/view.ts";
export { CompareView } from "./scans/compare_view.ts";
export { CompareView as CompareStatesView } from "./history/compare_view.ts";
export { RevisionView } from "./mirror/revision_view.ts";
export { MirrorView } from "./mirror/view.ts";
export { ModelView } from "./model/view.ts";
export { HistoryView } from "./history/history_view.ts";
export { TagsView } from "./history/tags_view.ts";
export { TrashView } from "./history/trash_view.ts";
export { ScanView } from "./scans/scan_view.ts";
export { ScansView } from "./scans/view.ts";
export { StorageView } from "./storage/view.ts";
