export interface BarChart {
  readonly title: string;
  /** Decimals of the values. */
  readonly digits: number;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

const WIDTH = 720;
const NAMES_WIDTH = 210;
const VALUES_WIDTH = 80;
const TITLE_HEIGHT = 30;
const BAR_HEIGHT = 18;
const ROW_HEIGHT = 26;
const MAX_BAR = WIDTH - NAMES_WIDTH - VALUES_WIDTH;

/** A chart with a horizontal bar for each value, as SVG that is legible on light and dark pages. */
export function barChart({ title, digits, bars }: BarChart): string {
  const largest = Math.max(...bars.map(({ value }) => value));
  const height = TITLE_HEIGHT + bars.length * ROW_HEIGHT;
  const rows = bars.map(({ name, value }, index) => {
    const y = TITLE_HEIGHT + index * ROW_HEIGHT;
    const width = (value / largest * MAX_BAR).toFixed(1);
    const baseline = y + BAR_HEIGHT - 4;
    const end = NAMES_WIDTH + Number(width) + 6;
    return `<text x="${NAMES_WIDTH - 8}" y="${baseline}" text-anchor="end">${escaped(name)}</text>
<rect x="${NAMES_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT}" fill="${
      index === 0 ? "#2f81f7" : "#9aa4af"
    }"/>
<text x="${end}" y="${baseline}">${value.toFixed(digits)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="sans-serif" font-size="13" fill="#7d8590">
<title>${escaped(title)}</title>
<text x="0" y="16">${escaped(title)}</text>
${rows.join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
