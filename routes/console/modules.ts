/**
 * The files of the console that browsers load, as text. Importing them makes them part of the program in all
 * its forms: the checkout, the package and the executable; and the server needs no permission to read them.
 */

type LoadText = () => Promise<{ readonly default: string }>;

/** The modules, by their paths in `app/`. Packages have a name that ends in `.js`. */
export const MODULES: Readonly<Record<string, LoadText>> = {
  "preact.js": () => import("preact", { with: { type: "text" } }),
  "preact_hooks.js": () => import("preact/hooks", { with: { type: "text" } }),
  "printable.ts": () => import("../../schemas/printable.ts", { with: { type: "text" } }),
  "rules.ts": () => import("../../core/scanner/contract/rules.ts", { with: { type: "text" } }),
  "access/audit.ts": () => import("./app/access/audit.ts", { with: { type: "text" } }),
  "access/hidden_card.ts": () => import("./app/access/hidden_card.ts", { with: { type: "text" } }),
  "access/links.ts": () => import("./app/access/links.ts", { with: { type: "text" } }),
  "access/paged.ts": () => import("./app/access/paged.ts", { with: { type: "text" } }),
  "access/privileges.ts": () => import("./app/access/privileges.ts", { with: { type: "text" } }),
  "access/room.ts": () => import("./app/access/room.ts", { with: { type: "text" } }),
  "access/token_actions.ts": () =>
    import("./app/access/token_actions.ts", { with: { type: "text" } }),
  "access/tokens.ts": () => import("./app/access/tokens.ts", { with: { type: "text" } }),
  "access/view.ts": () => import("./app/access/view.ts", { with: { type: "text" } }),
  "access/waiver_actions.ts": () =>
    import("./app/access/waiver_actions.ts", { with: { type: "text" } }),
  "access/waivers.ts": () => import("./app/access/waivers.ts", { with: { type: "text" } }),
  "capacity/plot.ts": () => import("./app/capacity/plot.ts", { with: { type: "text" } }),
  "capacity/readings.ts": () => import("./app/capacity/readings.ts", { with: { type: "text" } }),
  "capacity/room.ts": () => import("./app/capacity/room.ts", { with: { type: "text" } }),
  "capacity/shown_scans.ts": () =>
    import("./app/capacity/shown_scans.ts", { with: { type: "text" } }),
  "capacity/view.ts": () => import("./app/capacity/view.ts", { with: { type: "text" } }),
  "file/actions.ts": () => import("./app/file/actions.ts", { with: { type: "text" } }),
  "file/content.ts": () => import("./app/file/content.ts", { with: { type: "text" } }),
  "file/content_cards.ts": () => import("./app/file/content_cards.ts", { with: { type: "text" } }),
  "file/gguf.ts": () => import("./app/file/gguf.ts", { with: { type: "text" } }),
  "file/gguf_cursor.ts": () => import("./app/file/gguf_cursor.ts", { with: { type: "text" } }),
  "file/header.ts": () => import("./app/file/header.ts", { with: { type: "text" } }),
  "file/prefix.ts": () => import("./app/file/prefix.ts", { with: { type: "text" } }),
  "file/room.ts": () => import("./app/file/room.ts", { with: { type: "text" } }),
  "file/safetensors.ts": () => import("./app/file/safetensors.ts", { with: { type: "text" } }),
  "file/verdict_card.ts": () => import("./app/file/verdict_card.ts", { with: { type: "text" } }),
  "file/view.ts": () => import("./app/file/view.ts", { with: { type: "text" } }),
  "files/actions.ts": () => import("./app/files/actions.ts", { with: { type: "text" } }),
  "files/columns.ts": () => import("./app/files/columns.ts", { with: { type: "text" } }),
  "files/directory.ts": () => import("./app/files/directory.ts", { with: { type: "text" } }),
  "files/download.ts": () => import("./app/files/download.ts", { with: { type: "text" } }),
  "files/drag.ts": () => import("./app/files/drag.ts", { with: { type: "text" } }),
  "files/folder_list.ts": () => import("./app/files/folder_list.ts", { with: { type: "text" } }),
  "files/folder_picker.ts": () =>
    import("./app/files/folder_picker.ts", { with: { type: "text" } }),
  "files/folders.ts": () => import("./app/files/folders.ts", { with: { type: "text" } }),
  "files/order.ts": () => import("./app/files/order.ts", { with: { type: "text" } }),
  "files/room.ts": () => import("./app/files/room.ts", { with: { type: "text" } }),
  "files/search.ts": () => import("./app/files/search.ts", { with: { type: "text" } }),
  "files/shown_verdict.ts": () =>
    import("./app/files/shown_verdict.ts", { with: { type: "text" } }),
  "files/targets.ts": () => import("./app/files/targets.ts", { with: { type: "text" } }),
  "files/toolbar.ts": () => import("./app/files/toolbar.ts", { with: { type: "text" } }),
  "files/view.ts": () => import("./app/files/view.ts", { with: { type: "text" } }),
  "main.ts": () => import("./app/main.ts", { with: { type: "text" } }),
  "rooms.ts": () => import("./app/rooms.ts", { with: { type: "text" } }),
  "scans/actions.ts": () => import("./app/scans/actions.ts", { with: { type: "text" } }),
  "scans/compare_view.ts": () => import("./app/scans/compare_view.ts", { with: { type: "text" } }),
  "scans/finding.ts": () => import("./app/scans/finding.ts", { with: { type: "text" } }),
  "scans/report.ts": () => import("./app/scans/report.ts", { with: { type: "text" } }),
  "scans/report_view.ts": () => import("./app/scans/report_view.ts", { with: { type: "text" } }),
  "scans/room.ts": () => import("./app/scans/room.ts", { with: { type: "text" } }),
  "scans/scan_list.ts": () => import("./app/scans/scan_list.ts", { with: { type: "text" } }),
  "scans/scan_row.ts": () => import("./app/scans/scan_row.ts", { with: { type: "text" } }),
  "scans/scan_view.ts": () => import("./app/scans/scan_view.ts", { with: { type: "text" } }),
  "scans/view.ts": () => import("./app/scans/view.ts", { with: { type: "text" } }),
  "shared/api.ts": () => import("./app/shared/api.ts", { with: { type: "text" } }),
  "shared/format.ts": () => import("./app/shared/format.ts", { with: { type: "text" } }),
  "shared/json_items.ts": () => import("./app/shared/json_items.ts", { with: { type: "text" } }),
  "shared/live.ts": () => import("./app/shared/live.ts", { with: { type: "text" } }),
  "shared/paths.ts": () => import("./app/shared/paths.ts", { with: { type: "text" } }),
  "shared/router.ts": () => import("./app/shared/router.ts", { with: { type: "text" } }),
  "shared/session.ts": () => import("./app/shared/session.ts", { with: { type: "text" } }),
  "shared/store.ts": () => import("./app/shared/store.ts", { with: { type: "text" } }),
  "shared/watch.ts": () => import("./app/shared/watch.ts", { with: { type: "text" } }),
  "shell.ts": () => import("./app/shell.ts", { with: { type: "text" } }),
  "sign_in.ts": () => import("./app/sign_in.ts", { with: { type: "text" } }),
  "ui/button.ts": () => import("./app/ui/button.ts", { with: { type: "text" } }),
  "ui/dialog.ts": () => import("./app/ui/dialog.ts", { with: { type: "text" } }),
  "ui/grid.ts": () => import("./app/ui/grid.ts", { with: { type: "text" } }),
  "ui/grid_selection.ts": () => import("./app/ui/grid_selection.ts", { with: { type: "text" } }),
  "ui/icon.ts": () => import("./app/ui/icon.ts", { with: { type: "text" } }),
  "ui/loaded.ts": () => import("./app/ui/loaded.ts", { with: { type: "text" } }),
  "ui/pairs.ts": () => import("./app/ui/pairs.ts", { with: { type: "text" } }),
  "ui/rows.ts": () => import("./app/ui/rows.ts", { with: { type: "text" } }),
  "ui/shown_text.ts": () => import("./app/ui/shown_text.ts", { with: { type: "text" } }),
  "ui/states.ts": () => import("./app/ui/states.ts", { with: { type: "text" } }),
  "ui/toasts.ts": () => import("./app/ui/toasts.ts", { with: { type: "text" } }),
  "ui/type_ahead.ts": () => import("./app/ui/type_ahead.ts", { with: { type: "text" } }),
  "ui/verdict.ts": () => import("./app/ui/verdict.ts", { with: { type: "text" } }),
  "ui/visible_rows.ts": () => import("./app/ui/visible_rows.ts", { with: { type: "text" } }),
  "uploads/checks.ts": () => import("./app/uploads/checks.ts", { with: { type: "text" } }),
  "uploads/dropped.ts": () => import("./app/uploads/dropped.ts", { with: { type: "text" } }),
  "uploads/panel.ts": () => import("./app/uploads/panel.ts", { with: { type: "text" } }),
  "uploads/queue.ts": () => import("./app/uploads/queue.ts", { with: { type: "text" } }),
  "uploads/rate.ts": () => import("./app/uploads/rate.ts", { with: { type: "text" } }),
  "uploads/resume.ts": () => import("./app/uploads/resume.ts", { with: { type: "text" } }),
  "uploads/send_body.ts": () => import("./app/uploads/send_body.ts", { with: { type: "text" } }),
  "uploads/transfer.ts": () => import("./app/uploads/transfer.ts", { with: { type: "text" } }),
  "uploads/tus.ts": () => import("./app/uploads/tus.ts", { with: { type: "text" } }),
  "uploads/unfinished.ts": () => import("./app/uploads/unfinished.ts", { with: { type: "text" } }),
};

/** Modules that browsers load when they need them: the readers of manifests, which are those of the scanner. */
export const ON_DEMAND: Readonly<Record<string, LoadText>> = {
  "file/manifest.ts": () => import("./app/file/manifest.ts", { with: { type: "text" } }),
  "readers/bytes/latin1_text.ts": () =>
    import("../../core/scanner/readers/bytes/latin1_text.ts", { with: { type: "text" } }),
  "readers/document_event.ts": () =>
    import("../../core/scanner/readers/document_event.ts", { with: { type: "text" } }),
  "readers/text/bounded_text.ts": () =>
    import("../../core/scanner/readers/text/bounded_text.ts", { with: { type: "text" } }),
  "readers/toml/read_toml.ts": () =>
    import("../../core/scanner/readers/toml/read_toml.ts", { with: { type: "text" } }),
  "readers/yaml/anchors.ts": () =>
    import("../../core/scanner/readers/yaml/anchors.ts", { with: { type: "text" } }),
  "readers/yaml/block_scalar.ts": () =>
    import("../../core/scanner/readers/yaml/block_scalar.ts", { with: { type: "text" } }),
  "readers/yaml/collections.ts": () =>
    import("../../core/scanner/readers/yaml/collections.ts", { with: { type: "text" } }),
  "readers/yaml/cursor.ts": () =>
    import("../../core/scanner/readers/yaml/cursor.ts", { with: { type: "text" } }),
  "readers/yaml/properties.ts": () =>
    import("../../core/scanner/readers/yaml/properties.ts", { with: { type: "text" } }),
  "readers/yaml/scalar_text.ts": () =>
    import("../../core/scanner/readers/yaml/scalar_text.ts", { with: { type: "text" } }),
  "readers/yaml/scalars.ts": () =>
    import("../../core/scanner/readers/yaml/scalars.ts", { with: { type: "text" } }),
  "readers/yaml/simple_key.ts": () =>
    import("../../core/scanner/readers/yaml/simple_key.ts", { with: { type: "text" } }),
  "readers/yaml/structure.ts": () =>
    import("../../core/scanner/readers/yaml/structure.ts", { with: { type: "text" } }),
  "readers/yaml/tags.ts": () =>
    import("../../core/scanner/readers/yaml/tags.ts", { with: { type: "text" } }),
  "readers/yaml/yaml_nodes.ts": () =>
    import("../../core/scanner/readers/yaml/yaml_nodes.ts", { with: { type: "text" } }),
  "readers/yaml/yaml_reader.ts": () =>
    import("../../core/scanner/readers/yaml/yaml_reader.ts", { with: { type: "text" } }),
  "units.ts": () => import("../../schemas/units.ts", { with: { type: "text" } }),
};

/** The style sheets, in their order. */
export const STYLES: readonly LoadText[] = [
  () => import("./app/styles/base.css", { with: { type: "text" } }),
  () => import("./app/styles/parts.css", { with: { type: "text" } }),
  () => import("./app/styles/shell.css", { with: { type: "text" } }),
  () => import("./app/styles/grid.css", { with: { type: "text" } }),
  () => import("./app/styles/files.css", { with: { type: "text" } }),
  () => import("./app/styles/uploads.css", { with: { type: "text" } }),
  () => import("./app/styles/pages.css", { with: { type: "text" } }),
  () => import("./app/styles/scans.css", { with: { type: "text" } }),
  () => import("./app/styles/access.css", { with: { type: "text" } }),
  () => import("./app/styles/capacity.css", { with: { type: "text" } }),
];

/** The icon of the page. */
export const ICON: LoadText = () => import("./app/icon.svg", { with: { type: "text" } });
