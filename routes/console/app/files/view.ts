import { type ComponentChild, h } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import { type KeptView, keptView } from "../shared/kept.ts";
import { isWithin, parentOf } from "../shared/paths.ts";
import { formerPlace, goOn, goTo, linkTo } from "../shared/router.ts";
import { may, shownAt } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import type { Chosen } from "../uploads/dropped.ts";
import { Breadcrumbs } from "../ui/breadcrumbs.ts";
import { Grid } from "../ui/grid.ts";
import { type GridSelection, NOTHING_SELECTED } from "../ui/grid_selection.ts";
import { openMenu } from "../ui/menu.ts";
import { Loading, Notice, Problem } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { VerdictFilter } from "../ui/verdict_filter.ts";
import { askToDelete, askToRename, uploadTo } from "./actions.ts";
import { type Asked, NOTHING_ASKED, useAsked } from "./asked.ts";
import { columnsOf, roomOf } from "./columns.ts";
import { Directory, type Listing } from "./directory.ts";
import { FirstRun } from "./first_run.ts";
import { draggable, dropFiles, folderTarget, hasFiles } from "./drag.ts";
import { rowActions } from "./entry_menu.ts";
import { FolderList } from "./folder_list.ts";
import { FolderTree } from "./folders.ts";
import { LandingHint, showLanding } from "./landing.ts";
import { ListFoot } from "./list_foot.ts";
import { named } from "./outcome.ts";
import { Narrow } from "./narrow.ts";
import { NothingFound } from "./nothing_found.ts";
import type { Order } from "./order.ts";
import { usePaste } from "./paste.ts";
import { type Quota, useQuota } from "./quota.ts";
import { useSearch } from "./search.ts";
import { rememberShown } from "./shown_files.ts";
import { ModelLink } from "./model_link.ts";
import { countsOf, withVerdict } from "./counted_verdicts.ts";
import { ListNote, Toolbar } from "./toolbar.ts";

/** The room Files: the tree of folders, and the content of one of them. */
export function FilesView({ path }: { readonly path: string }): ComponentChild {
  const folders = useMemo(() => new FolderTree(), []);
  useEffect(() => () => folders[Symbol.dispose](), []);
  const listed = useMemo(() => Promise.withResolvers<void>(), []);
  const quota = useQuota(listed.promise);
  return h(
    "div",
    { class: "files" },
    h(
      "aside",
      { class: "files-tree" },
      h(FolderList, {
        label: "Folders",
        folders,
        current: path,
        onOpen: (folder) => goTo("files", folder),
        itemProps: folderTarget,
      }),
    ),
    h(FolderView, { key: path, path, quota, onListed: listed.resolve }),
    h(LandingHint, null),
  );
}

function FolderView(
  { path, quota, onListed }: {
    readonly path: string;
    readonly quota: Quota | undefined;
    /** Called when the list is shown. */
    readonly onListed: () => void;
  },
): ComponentChild {
  const directory = useMemo(
    () =>
      new Directory(path, (moved) => {
        toast(`“${path}” was moved to “${moved}”`);
        goOn("files", moved);
      }),
    [],
  );
  useEffect(() => () => directory[Symbol.dispose](), []);
  const listing = useStore(directory.listing);
  useEffect(() => {
    if (listing.status !== "loading") onListed();
  }, [listing.status]);
  const view = useMemo(keptView, []);
  const asking = useAsked();
  const [selection, setSelection] = useState<GridSelection>(NOTHING_SELECTED);
  const { asked } = asking;
  const found = useSearch(path, shownAt.value === undefined ? asked : NOTHING_ASKED);
  // What is selected may not be found.
  const anew = () => {
    view.top = 0;
    setSelection(NOTHING_SELECTED);
  };
  const ask = (wanted: Asked) => {
    asking.ask(wanted);
    anew();
  };
  const [verdict, setVerdict] = useState<Verdict>();
  const all = found ?? listing;
  const shown = useMemo(
    () => ({ ...all, entries: withVerdict(all.entries, all.verdicts, verdict) }),
    [all, verdict],
  );
  const selected = shown.entries.filter(({ id }) => selection.ids.has(id));
  usePaste(path);
  const uploadHere = (chosen: Chosen) => void uploadTo(path, chosen);
  return h(
    "div",
    { class: "folder-view" },
    // Verdicts come after the list: beside the heading, their filter moves no row of it.
    h(
      "div",
      { class: "folder-head" },
      h(Breadcrumbs, { room: "files", path, isHeading: true, linkProps: folderTarget }),
      h(ModelLink, { path, entries: listing.entries }),
      h(VerdictFilter, {
        counts: useMemo(() => countsOf(all.verdicts), [all]),
        chosen: verdict,
        onChoose: (chosen) => {
          setVerdict(chosen);
          setSelection(NOTHING_SELECTED);
        },
      }),
    ),
    h(Toolbar, {
      path,
      selected,
      verdicts: shown.verdicts,
      asking: {
        ...asking,
        ask,
        type: (words) => {
          asking.type(words);
          anew();
        },
      },
      onFiles: uploadHere,
      onClear: () => setSelection({ ...NOTHING_SELECTED, active: selection.active }),
    }),
    found !== undefined && h(Narrow, { path, asked, found, onAsk: ask }),
    h(ListNote, { note: shown.note, stop: found?.stop }),
    h(
      DropZone,
      { path },
      h(Content, {
        ...{ path, directory, selected, selection, view, asked },
        listing: shown,
        isSearch: found !== undefined,
        isFiltered: verdict !== undefined,
        onSelect: setSelection,
      }),
    ),
    h(ListFoot, { path, listing: shown, active: selection.active, quota }),
  );
}

interface ContentProps {
  readonly path: string;
  readonly view: KeptView;
  readonly directory: Directory;
  readonly listing: Listing;
  readonly asked: Asked;
  readonly isSearch: boolean;
  readonly isFiltered: boolean;
  readonly selected: readonly ResourceEntry[];
  readonly selection: GridSelection;
  readonly onSelect: (selection: GridSelection) => void;
}

function Content(props: ContentProps): ComponentChild {
  const { path, directory, listing, isSearch } = props;
  if (listing.status === "loading") {
    return h(Loading, { what: isSearch ? "what matches" : "files" });
  }
  if (listing.status === "failed") {
    return h(Problem, { error: listing.error, retry: () => directory.load() });
  }
  if (listing.status === "missing") {
    return h(
      Notice,
      { icon: "question", title: "This folder does not exist" },
      h("p", null, "It was deleted, or the address is wrong."),
      h("a", { href: linkTo("files", parentOf(path)) }, "Open the folder above"),
    );
  }
  if (listing.entries.length > 0) return h(Entries, props);
  if (isSearch || props.isFiltered) {
    return h(NothingFound, { asked: props.asked, entries: directory.listing.value.entries });
  }
  if (path === "" && may("resources.upload")) return h(FirstRun, null);
  return h(
    Notice,
    { icon: "folder", title: path === "" ? "No files yet" : "This folder is empty" },
    may("resources.upload") &&
      h("p", null, "Drop files or folders here, or use the buttons above."),
  );
}

function Entries(props: ContentProps): ComponentChild {
  const { path, directory, listing, isSearch, selected, selection, onSelect, view } = props;
  useEffect(() => rememberShown(listing.entries), [listing.entries]);
  const former = formerPlace();
  const [order, setOrder] = useState<Order>({ by: "name", isDescending: false });
  const open = (entry: ResourceEntry) => goTo(roomOf(entry, listing.known), entry.path);
  return h(Grid<ResourceEntry>, {
    label: isSearch ? "Files that match" : "Files",
    columns: columnsOf({
      order: isSearch ? undefined : order,
      verdicts: listing.verdicts,
      known: listing.known,
      shows: isSearch ? "path" : "name",
    }),
    rows: listing.entries,
    idOf: ({ id }) => id,
    nameOf: ({ name }) => name,
    selection,
    onSelect,
    scroll: view,
    // The row where one comes from, if one was further down.
    enterAt: former && ((entry: ResourceEntry) => isWithin(former.path, entry.path)),
    onOpen: open,
    onSort: (column) => {
      const by = column as Order["by"];
      const after = { by, isDescending: order.by === by && !order.isDescending };
      setOrder(after);
      directory.order = after;
    },
    onMenu: (entry, at) => {
      const entries = selection.ids.has(entry.id) ? selected : [entry];
      openMenu({
        label: `Actions for ${named(entries)}`,
        items: rowActions(entries, listing.verdicts),
        at,
      });
    },
    onKey: (event) => {
      const active = listing.entries.find(({ id }) => id === selection.active);
      const targets = selected.length > 0 ? selected : active === undefined ? [] : [active];
      const [target] = targets;
      if (event.key === "Backspace" && path !== "") goTo("files", parentOf(path));
      else if (target === undefined) return;
      else if (event.key === "F2" && may("resources.edit")) askToRename(target);
      else if (event.key === "Delete" && may("resources.delete")) askToDelete(targets);
      else return;
      event.preventDefault();
    },
    rowProps: (entry) => ({
      ...draggable(() => selection.ids.has(entry.id) ? selected : [entry]),
      ...(entry.is_dir && folderTarget(entry.path)),
    }),
  });
}

/** A place where files of the computer can be dropped. */
function DropZone(
  { path, children }: {
    readonly path: string;
    readonly children?: ComponentChild;
  },
): ComponentChild {
  const [isOver, setOver] = useState(false);
  if (!may("resources.upload")) return h("div", { class: "drop-zone" }, children);
  return h(
    "div",
    {
      class: `drop-zone${isOver ? " is-over" : ""}`,
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        showLanding("upload", path);
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        const { currentTarget, relatedTarget } = event;
        const isWithin = currentTarget instanceof Node && relatedTarget instanceof Node &&
          currentTarget.contains(relatedTarget);
        if (!isWithin) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        dropFiles(event, path);
      },
    },
    children,
  );
}
