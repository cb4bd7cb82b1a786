// Settings in the order of the reference page, as far as they match what is sought.
import type { Setting } from './queries.ts';

interface Sought {
  readonly search: string;
  readonly source: Setting['source'] | undefined;
}

/** Each section with its settings; a section without any that match is left out. */
export function bySection<Shown extends Pick<Setting, 'name' | 'meaning' | 'section' | 'source'>>(
  settings: readonly Shown[],
  { search, source }: Sought,
): [section: string, settings: readonly Shown[]][] {
  const text = search.trim().toLocaleLowerCase();
  const matches = ({ name, meaning, source: own }: Shown) =>
    (source === undefined || own === source) && `${name} ${meaning}`.toLocaleLowerCase().includes(text);
  return [...Map.groupBy(settings.filter(matches), ({ section }) => section)];
}

/** Those in whose name or meaning all words of the text are; whose name has the text first. */
export function bestOf<Shown extends Pick<Setting, 'name' | 'meaning'>>(
  settings: readonly Shown[],
  text: string,
): readonly Shown[] {
  const words = text.trim().toLocaleLowerCase().split(/\s+/);
  const isIn = (own: string) => words.every((word) => own.toLocaleLowerCase().includes(word));
  const isNamed = ({ name }: Shown) => isIn(name);
  const others = settings.filter((setting) => !isNamed(setting) && isIn(`${setting.name} ${setting.meaning}`));
  return [...settings.filter(isNamed), ...others];
}
