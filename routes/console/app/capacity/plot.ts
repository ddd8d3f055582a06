import { type ComponentChild, h } from "preact";

export interface Point {
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  readonly value: number;
}

const WIDTH = 300;
const HEIGHT = 72;

/** Values of the last minutes, or the last hour, as a line, and in words for people who do not see it. */
export function Plot(
  { title, points, max, from, to, show, past = "minutes" }: {
    readonly title: string;
    readonly points: readonly Point[];
    /** The value at the upper edge. */
    readonly max: number;
    /** The times at the left and the right edge. */
    readonly from: number;
    readonly to: number;
    readonly show: (value: number) => string;
    /** @default "minutes" */
    readonly past?: "minutes" | "hour";
  },
): ComponentChild {
  const values = points.map(({ value }) => value);
  const now = values.at(-1) ?? 0;
  const place = ({ at, value }: Point) => {
    const x = Math.max(0, (at - from) / (to - from)) * WIDTH;
    const y = HEIGHT - Math.min(1, value / (max || 1)) * HEIGHT;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  };
  const line = points.map(place).join(" ");
  const [first] = points;
  const [least, most] = [show(Math.min(...values)), show(Math.max(...values))];
  const label = `${title}: ${show(now)} now, ${least} to ${most} over the last ${past}`;
  return h(
    "figure",
    { class: "plot" },
    h("figcaption", null, title, h("strong", { class: "number" }, show(now))),
    h(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": label,
      },
      [0, 0.5, 1].map((part) =>
        h("line", {
          key: part,
          class: "plot-grid",
          x1: 0,
          x2: WIDTH,
          y1: HEIGHT * part,
          y2: HEIGHT * part,
        })
      ),
      first !== undefined && points.length > 1 && h("polygon", {
        class: "plot-area",
        points: `${place({ ...first, value: 0 })} ${line} ${
          place({ at: points.at(-1)?.at ?? to, value: 0 })
        }`,
      }),
      h("polyline", { class: "plot-line", points: line }),
    ),
    h(
      "p",
      { class: "plot-axis muted" },
      h("span", null, past === "hour" ? "1 hour ago" : "5 minutes ago"),
      h("span", { class: "number" }, least === most ? least : `${least} to ${most}`),
      h("span", null, "now"),
    ),
  );
}
