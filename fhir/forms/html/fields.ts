// The fields of a form's pages. The name of a field is the place of its item. `f-0-2` is the third item of the first
// group, `f-1_2-0` the first item in the third occurrence of the second. Parts of a field follow a dot.

/** The typed texts by name. A name is missing while no page with the field has been sent. */
export type Fields = Readonly<Record<string, readonly string[]>>;

/** The most rows of a repeating item. */
export const MOST_ROWS = 50;
/** The most rows of a whole form: every row of a group makes all its items. */
export const MOST_ROWS_OF_FORM = 1000;

export const ROOT = 'f';

export const childPath = (occurrence: string, index: number): string => `${occurrence}-${index}`;
export const rowPath = (item: string, index: number): string => `${item}_${index}`;

/** The names of the parts of a field. */
export const part = {
  rows: (path: string) => `${path}.n`,
  other: (path: string) => `${path}.other`,
  find: (path: string) => `${path}.find`,
  time: (path: string) => `${path}.time`,
  unit: (path: string) => `${path}.unit`,
  title: (path: string) => `${path}.title`,
  mediaType: (path: string) => `${path}.type`,
} as const;

/** The first text of the field, without spaces around it. */
export function textIn(fields: Fields, name: string): string {
  return fields[name]?.find((text) => text !== '')?.trim() ?? '';
}

/** The value of a choice for the option with that index. */
export const optionValue = (index: number): string => `o${index}`;
/** The value of a choice for an answer that is no option. */
export const OTHER = 'other';

/** The index of a chosen option; undefined for anything else. */
export function optionIndex(value: string): number | undefined {
  return /^o\d{1,6}$/.test(value) ? Number(value.slice(1)) : undefined;
}
