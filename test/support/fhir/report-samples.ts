// Observations that patients report, and entries of bundles with them.

export const pulse = (more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }] },
  effectiveDateTime: '2026-03-01T07:30:00+01:00',
  valueQuantity: { value: 72.0, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
  ...more,
});
export const subject = (id: string) => ({ subject: { reference: `Patient/${id}` } });
export const entry = (method: string, url: string, resource?: object, more: object = {}) => ({
  ...(resource === undefined ? {} : { resource }),
  request: { method, url, ...more },
});
export const bundle = (type: 'batch' | 'transaction', ...entries: object[]) => ({
  resourceType: 'Bundle',
  type,
  entry: entries,
});

/** A JSON Patch as an entry of a bundle has it. */
export const patchOf = (operations: readonly object[]) => ({
  resourceType: 'Binary',
  contentType: 'application/json-patch+json',
  data: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
