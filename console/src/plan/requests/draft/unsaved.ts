// Whether something of a draft is changed in this tab and not saved: it would be lost when the draft is finalized.
import { readKept } from '../../../app/kept.ts';
import { type DraftTexts, differencesOf } from './draft-texts.ts';
import type { Kept } from './use-snapshot-edit.ts';

/** Under which the text fields of a draft are kept. */
export const textsName = (id: string): string => `request-texts-${id}`;
/** Under which its content as JSON is kept. */
export const contentName = (id: string): string => `request-content-${id}`;

/** @param id of the ServiceRequest */
export function isUnsaved(id: string): boolean {
  if (readKept(contentName(id)) !== undefined) return true;
  const text = readKept(textsName(id));
  if (text === undefined) return false;
  // Written by `useSnapshotEdit` alone.
  const { base, mine } = JSON.parse(text) as Kept<DraftTexts>;
  return differencesOf(base.snapshot, mine, base.snapshot).length > 0;
}
