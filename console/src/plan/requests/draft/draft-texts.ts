// The text fields of a draft: how they are read from its content and put into it, and how mine and theirs differ where
// two have changed them.
import { isSameJson } from '../../../shared/difference/same-json.ts';
import type { Snapshot } from '../request-queries.ts';

export const PRIORITIES = ['routine', 'urgent', 'asap', 'stat'] as const;

export type Priority = (typeof PRIORITIES)[number];

export interface DraftTexts {
  readonly priority: Priority;
  /** As it is typed; empty for none. */
  readonly note: string;
}

export function textsOf({ priority = 'routine', note = '' }: Snapshot): DraftTexts {
  return { priority, note };
}

/** The content with these texts, and all else as it is. */
export function withTexts(snapshot: Snapshot, { priority, note }: DraftTexts): Snapshot {
  const text = note.trim();
  return { ...restOf(snapshot), priority, ...(text === '' ? {} : { note: text }) };
}

/** All of the content but the texts: the plan, and when. */
export function restOf({ priority: _priority, note: _note, ...rest }: Snapshot): Snapshot {
  return rest;
}

export interface TextDifference {
  readonly field: keyof DraftTexts;
  readonly theirs: DraftTexts;
  readonly mine: DraftTexts;
  /** Whether I have changed the field. Otherwise they alone have, and theirs holds. */
  readonly isMine: boolean;
}

/** The fields that differ between what is saved and what is in my fields, which were made from `base`. */
export function differencesOf(base: Snapshot, mine: DraftTexts, saved: Snapshot): TextDifference[] {
  const [before, theirs] = [textsOf(base), textsOf(saved)];
  return (['priority', 'note'] as const)
    .filter((field) => mine[field].trim() !== theirs[field].trim())
    .map((field) => ({ field, theirs, mine, isMine: mine[field].trim() !== before[field].trim() }));
}

/** My changes on top of what is saved. A field that I have not changed gets the saved text. */
export function mergedTexts(base: Snapshot, mine: DraftTexts, saved: Snapshot): DraftTexts {
  const [before, theirs] = [textsOf(base), textsOf(saved)];
  return {
    priority: mine.priority === before.priority ? theirs.priority : mine.priority,
    note: mine.note.trim() === before.note.trim() ? theirs.note : mine.note,
  };
}

/** Whether they have changed anything but the texts. */
export function isRestChanged(base: Snapshot, saved: Snapshot): boolean {
  return !isSameJson(restOf(base), restOf(saved));
}
