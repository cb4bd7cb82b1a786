// What of a report of several values has been sent. Pure.
import type { Observation } from 'fhir/r5';
import type { Filled } from '../../forms/filled.ts';

export interface Sent {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly body: string;
  readonly hasArrived: boolean;
}

export interface Typed {
  readonly filled: Filled | undefined;
  /** When it was sent first, and measured where the patient says nothing else. */
  readonly now: string | undefined;
  /** By the `link_id` of the question. */
  readonly sent: Readonly<Record<string, Sent>>;
}

/** The name by which the tab keeps it. */
export const KEPT_VALUES = 'own-values';
export const NOTHING: Typed = { filled: undefined, now: undefined, sent: {} };

interface ToSend {
  readonly id: string;
  readonly key: string;
  readonly report: Observation;
}

/** What has not arrived, with the key that it was sent under before. A value that was changed since is another one. */
export function remaining(
  reports: readonly (readonly [id: string, report: Observation])[],
  sent: Typed['sent'],
  makeKey: () => string = () => crypto.randomUUID(),
): ToSend[] {
  return reports.flatMap(([id, report]) => {
    const before = sent[id];
    const isSame = before?.body === JSON.stringify(report);
    if (isSame && before?.hasArrived === true) return [];
    return [{ id, key: isSame && before !== undefined ? before.key : makeKey(), report }];
  });
}
