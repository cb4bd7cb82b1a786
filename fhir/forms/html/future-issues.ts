// A moment that is yet to come, where the question is about what has been.
import type { FormIssue } from '../check-form.ts';
import type { FilledItem } from '../filling.ts';
import { valueIn } from '../values.ts';
import { isYetToCome } from '../yet-to-come.ts';

export interface Past {
  /** The question of the form's first level, whose answer is no moment after `now`. */
  readonly linkId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The IANA name of the zone of a day without a time. */
  readonly timeZone: string;
}

export function futureIssues(items: readonly FilledItem[], past: Past): FormIssue[] {
  const asked = items.find(({ item }) => item.link_id === past.linkId);
  if (asked === undefined) return [];
  const { item, occurrences } = asked;
  return occurrences
    .filter(({ answer }) => {
      const value = answer && valueIn(answer);
      return typeof value === 'string' && isYetToCome(value, past);
    })
    .map(({ path }) => ({ path, label: item.label, item, severity: 'error', code: 'future' }));
}
