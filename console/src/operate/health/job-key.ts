// The name of a kind of job among the texts.

const KEYS = {
  export: 'export',
  import: 'import',
  'file-import': 'fileImport',
  synchronize: 'synchronize',
  'search-parameter': 'searchParameter',
} as const;

/** Kinds that this release does not know have a word, too. */
export function jobKey(kind: string): (typeof KEYS)[keyof typeof KEYS] | 'other' {
  return Object.entries(KEYS).find(([name]) => name === kind)?.[1] ?? 'other';
}
