// A Bundle that is carried out, and what became of each of its entries.
import type { Bundle, FhirResource } from 'fhir/r5';

export interface EntryOutcome {
  /** From 1, as in the Bundle that was sent. */
  readonly number: number;
  readonly request: string;
  readonly status: string;
  readonly isDone: boolean;
  /** `Type/id` of what was made or changed. */
  readonly reference: string | undefined;
  /** What the server says of a failure. */
  readonly text: string | undefined;
}

/** `response` answers `sent`, entry by entry (hl7.org/fhir/R5/http.html#transaction-response). */
export function outcomesOf(sent: Bundle, response: Bundle): readonly EntryOutcome[] {
  return (response.entry ?? []).map((entry, at) => {
    const request = sent.entry?.[at]?.request;
    const status = entry.response?.status ?? '';
    const outcome = entry.response?.outcome as FhirResource | undefined;
    const issues = outcome?.resourceType === 'OperationOutcome' ? outcome.issue : [];
    const location = entry.response?.location ?? '';
    const [, reference] = /([A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64})(?:\/_history\/[^/]+)?$/.exec(location) ?? [];
    const resource = entry.resource;
    // A Bundle that is found by no address of its own has an id, too.
    const isStored = resource?.id !== undefined && resource.resourceType !== 'Bundle';
    const read = isStored ? `${resource.resourceType}/${resource.id}` : undefined;
    return {
      number: at + 1,
      request: `${request?.method ?? ''} ${request?.url ?? ''}`.trim(),
      status,
      isDone: status.startsWith('2') || status.startsWith('3'),
      reference: reference ?? read,
      text: issues.map(({ details, diagnostics }) => details?.text ?? diagnostics ?? '').join(' ') || undefined,
    };
  });
}
