import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** Rows above and below the visible ones that are rendered as well. */
const OVERSCAN = 8;

/** Scrolls a row into view. @param head The height of what stays above the rows. @default that of a row */
export function showRow(
  box: HTMLElement | null,
  index: number,
  rowHeight: number,
  head = rowHeight,
): void {
  if (box === null) return;
  const top = index * rowHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  const bottom = top + rowHeight - (box.clientHeight - head);
  if (bottom > box.scrollTop) box.scrollTop = bottom;
}

/** Which rows are visible, by where the box is scrolled to. */
export function useVisibleRows(box: { current: HTMLElement | null }, count: number) {
  const [view, setView] = useState({ scrollTop: 0, height: 800, rowHeight: 36 });
  const measure = () => {
    const element = box.current;
    if (element === null) return;
    const rowHeight = Number.parseInt(getComputedStyle(element).getPropertyValue("--row")) || 36;
    const { scrollTop, clientHeight: height } = element;
    setView((before) =>
      before.scrollTop === scrollTop && before.height === height && before.rowHeight === rowHeight
        ? before
        : { scrollTop, height, rowHeight }
    );
  };
  useLayoutEffect(measure, [count]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    // The height of rows may have been chosen anew.
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, []);
  const { scrollTop, height, rowHeight } = view;
  return {
    rowHeight,
    first: Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - OVERSCAN),
    last: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN),
  };
}
