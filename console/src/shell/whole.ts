// When a screen is shown. Its parts read one thing each, and a part that came late would move those below it: the
// button that somebody is about to press (web.dev/articles/cls). So all parts appear at once.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { isUnread } from '../app/queries.ts';

/** How long parts that are there wait for the others, in milliseconds. */
const MOST_MS = 2_000;

const never = () => () => undefined;

/**
 * Whether all that the screen reads is there, or has been waited for long enough. From then on it stays so until the
 * address is another: what is read later, as after a choice, has its own sign of loading. A screen that the gateway has
 * rendered is whole from the beginning.
 */
export function useWhole(): boolean {
  const queries = useQueryClient();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const isRendered = useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
  const [wholePath, setWholePath] = useState(isRendered ? path : undefined);
  const isWhole = wholePath === path;
  // Before anything is painted: what is in the store already is shown at once.
  useLayoutEffect(() => {
    if (!queries.getQueryCache().getAll().some(isUnread)) setWholePath(path);
  }, [queries, path]);
  useEffect(() => (isWhole ? undefined : whenRead(queries, () => setWholePath(path))), [queries, path, isWhole]);
  return isWhole;
}

/**
 * Calls back once nothing is read for the first time any more, after `MOST_MS` at the latest. Returns how to end it.
 */
export function whenRead(queries: QueryClient, done: () => void): () => void {
  const cache = queries.getQueryCache();
  let frame = 0;
  // What was read may be what a further part waits for, and that begins to read when it has been rendered.
  const check = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        if (!cache.getAll().some((query) => isUnread(query) && query.state.fetchStatus === 'fetching')) done();
      });
    });
  };
  const unsubscribe = cache.subscribe(check);
  const timer = setTimeout(done, MOST_MS);
  check();
  return () => {
    unsubscribe();
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
}
