// The colours of every page, one source for the server-rendered pages (./style.ts) and the console. Text on its ground
// has a contrast of 4.5:1 or more, `line` and `accent` 3:1 (WCAG 2.2 AA).

export const LIGHT = {
  ink: '#1c2b33',
  muted: '#53626b',
  ground: '#f5f3ee',
  card: '#fff',
  hair: '#dfdcd4',
  line: '#75858d',
  accent: '#0b5c6b',
  'on-accent': '#fff',
  tint: '#e8f1f2',
  bad: '#9f1c12',
  'bad-ground': '#fdeeec',
} as const;

export type ColourToken = keyof typeof LIGHT;

export const DARK: Readonly<Record<ColourToken, string>> = {
  ink: '#e8eef0',
  muted: '#abb9bf',
  ground: '#12191d',
  card: '#1a2429',
  hair: '#303d43',
  line: '#84949b',
  accent: '#7fd0de',
  'on-accent': '#06262d',
  tint: '#20343a',
  bad: '#ffb3a9',
  'bad-ground': '#3a1b18',
};

/** As custom properties of CSS. */
export function rules(colours: Readonly<Record<ColourToken, string>>): string {
  return Object.entries(colours)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}
