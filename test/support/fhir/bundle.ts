// Bundles and their entries, for tests of batches and transactions.

/** The entry of an interaction; `more` holds its conditions, and its fullUrl. */
export function entryOf(method: string, url: string, resource?: object, more: object = {}) {
  const { fullUrl, ...conditions } = { fullUrl: undefined, ...more };
  return { fullUrl, resource, request: { method, url, ...conditions } };
}

export const bundleOf = (type: 'batch' | 'transaction', entries: readonly object[]) => ({
  resourceType: 'Bundle',
  type,
  entry: entries,
});

/** A Patient with this identifier. */
export const personOf = (value: string, more: object = {}) => ({
  resourceType: 'Patient',
  identifier: [{ system: 'urn:t', value }],
  ...more,
});

/** An Observation about this reference. */
export const weightOf = (subject: string, more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'weight' },
  subject: { reference: subject },
  ...more,
});
