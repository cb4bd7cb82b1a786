// What others do appears by itself: a stream of dispatch says that something has happened, and what is on the screen is
// read again.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { eventsIn } from '../api/event-stream.ts';
import { sessionFetch } from '../api/session.ts';
import { spaced } from '../app/spaced.ts';
import { watchAttention } from './attention.ts';
import type { LiveStream } from './face.ts';

/** Between two connections; longer where there are too many. */
const AGAIN_MS = 3_000;
const FULL_MS = 60_000;
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
      void listen(`/dispatch/api/v1/${stream}/stream`, onEvent, end.signal);
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

/** Until the signal, or until it is refused for good. */
async function listen(address: string, onEvent: () => void, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    const ended: StreamEnd = await readStream(address + queryOf(last), onEvent, signal).catch(() => ({ status: 0 }));
    const { status, id = last } = ended;
    last = id;
    if (status === 401 || status === 403) return;
    await pause(status === 429 || status === 503 ? FULL_MS : AGAIN_MS, signal);
  }
}

interface StreamEnd {
  readonly status: number;
  /** Of the last event, where there was one. */
  readonly id?: string | undefined;
}

function queryOf(last: string | undefined): string {
  return last === undefined ? '' : `?${new URLSearchParams({ last_event_id: last })}`;
}

async function readStream(address: string, onEvent: () => void, signal: AbortSignal): Promise<StreamEnd> {
  const response = await sessionFetch(new Request(address, { signal }));
  if (!response.ok || response.body === null) return { status: response.status };
  let id: string | undefined;
  let text = '';
  try {
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const { events, rest } = eventsIn(text + part);
      text = rest;
      id = events.findLast((event) => event.id !== undefined)?.id ?? id;
      if (events.some(({ name }) => name === 'notification' || name === 'change')) onEvent();
    }
  } catch {
    // The connection was lost: the next one continues from the last event.
  }
  return { status: response.status, id };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
