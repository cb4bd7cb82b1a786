// What somebody makes of the content of a draft, kept in the tab with the version that it was made from. After a reload
// it still replaces that version and no other.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { putJson } from '../../../api/fhir.ts';
import { Problem } from '../../../api/problem.ts';
import { useKept } from '../../../app/use-kept.ts';
import { isSameJson } from '../../../shared/difference/same-json.ts';
import { type Snapshot, type SnapshotVersion, snapshotQuery, useRefresh } from '../request-queries.ts';

export interface Kept<Mine> {
  readonly base: SnapshotVersion;
  readonly mine: Mine;
}

export interface SnapshotEdit<Mine> extends Kept<Mine> {
  readonly isChanged: boolean;
  /** Whether other content has been saved since. */
  readonly isOvertaken: boolean;
  change(mine: Mine): void;
  /** It is now made from another version. */
  rebase(base: SnapshotVersion, mine: Mine): void;
  drop(): void;
}

/**
 * @param name under which it is kept
 * @param current as it was read last
 * @param mineOf what is in the fields while nothing is changed
 */
export function useSnapshotEdit<Mine>(
  name: string,
  current: SnapshotVersion,
  mineOf: (snapshot: Snapshot) => Mine,
): SnapshotEdit<Mine> {
  const [text, setText, drop] = useKept(name, '');
  // Written by this code alone.
  const kept = useMemo(() => (text === '' ? undefined : (JSON.parse(text) as Kept<Mine>)), [text]);
  const base = kept?.base ?? current;
  const rebase = (on: SnapshotVersion, mine: Mine) => setText(JSON.stringify({ base: on, mine } satisfies Kept<Mine>));
  return {
    base,
    mine: kept?.mine ?? mineOf(current.snapshot),
    isChanged: kept !== undefined,
    isOvertaken: base.etag !== current.etag && !isSameJson(base.snapshot, current.snapshot),
    change: (mine) => (isSameJson(mine, mineOf(base.snapshot)) ? drop() : rebase(base, mine)),
    rebase,
    drop,
  };
}

interface Replacement {
  readonly base: SnapshotVersion;
  readonly next: object;
}

/**
 * Replaces the content of a draft where it is still the one that `next` was made from. Refused with 412, it has been
 * read again.
 */
export function useSaveSnapshot(id: string, onSaved: () => void) {
  const queries = useQueryClient();
  const refresh = useRefresh(id);
  const put = (next: object, etag: string | undefined) =>
    putJson(`/dispatch/api/v1/ServiceRequest/${id}/snapshot`, next, /"(.+)"/.exec(etag ?? '')?.[1]);
  return useMutation<void, Error, Replacement>({
    mutationFn: async ({ base, next }) => {
      try {
        await put(next, base.etag);
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 412) throw error;
        const theirs = await queries.fetchQuery({ ...snapshotQuery(id), staleTime: 0 });
        // The response to the same may have been lost before.
        if (isSameJson(theirs.snapshot, next)) return;
        if (!isSameJson(theirs.snapshot, base.snapshot)) throw error;
        // Another version with the same content.
        await put(next, theirs.etag);
      }
    },
    onSuccess: async () => {
      onSaved();
      await refresh();
    },
  });
}
