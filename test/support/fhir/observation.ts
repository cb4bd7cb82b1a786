// Observations of tests that need one with a patient and nothing else.

/** `subject` is a reference, such as `Patient/p1`; the id is the text of the code too. */
export function observationOf(id: string, subject: string, more: object = {}) {
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { text: id },
    subject: { reference: subject },
    ...more,
  };
}
