// What others do appears by itself: a stream of dispatch says that something has happened, and what is on the screen is
// read again.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listen } from '../api/listen.ts';
import { spaced } from '../app/spaced.ts';
import { watchAttention } from './attention.ts';
import type { LiveStream } from './face.ts';

/** An event is sent with the change of one service. What another one stores about it comes a moment later. */
const SETTLED_MS = 2_500;
/** Between two readings, however many events come: what others do appears within a second. */
const APART_MS = 800;

/** @param names the first parts of the keys of what is read again; a list that stays the same */
export function useLive(stream: LiveStream, names: readonly string[]): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (names.length === 0) return undefined;
    const refresh = (cancelRefetch = true) =>
      void queries.invalidateQueries(
        { predicate: ({ queryKey: [name] }) => names.includes(String(name)) },
        { cancelRefetch },
      );
    let end = new AbortController();
    let later: ReturnType<typeof setTimeout> | undefined;
    const onEvent = spaced(APART_MS, (isAtOnce) => {
      // While many events come, what is being read goes on: nothing would ever have been read.
      refresh(isAtOnce);
      clearTimeout(later);
      later = setTimeout(refresh, SETTLED_MS);
    });
    const begin = () => {
      end = new AbortController();
      void listen(`/dispatch/api/v1/${stream}/stream`, { onEvent }, end.signal);
    };
    const stopWatching = watchAttention((isAttended) => {
      end.abort();
      if (!isAttended) return;
      refresh();
      begin();
    });
    begin();
    return () => {
      stopWatching();
      onEvent.cancel();
      clearTimeout(later);
      end.abort();
    };
  }, [stream, names, queries]);
}
