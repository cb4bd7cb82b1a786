// The order of names in lists that people read (docs/adr/0063). It is that of the language of KEDJA_SORT_LANGUAGE, as
// the collation `name_order` of each service's schema has it.

/** The collation's name, in every schema that has lists of names. */
export const NAME_ORDER = 'name_order';

/**
 * The ORDER BY of a list of names, as SQL: names in the order of the language, equal names by the key.
 * @param name a column of texts
 * @param key a column that no two rows share
 */
export function byName(name: string, key: string): string {
  return `${inNameOrder(name)}, ${key}`;
}

/** A column of texts in the order of the language, as a part of SQL's ORDER BY. */
export function inNameOrder(name: string): string {
  return `${name} COLLATE ${NAME_ORDER}`;
}
