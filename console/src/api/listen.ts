// Follows a stream of server-sent events over as many connections as it takes.
import { eventsIn } from './event-stream.ts';
import { sessionFetch } from './session.ts';

/** Between two connections; longer where there are too many. */
const AGAIN_MS = 3_000;
const FULL_MS = 60_000;

interface Listening {
  /** Something has happened, or may have. */
  readonly onEvent: () => void;
  /** @throws when the server cannot be reached */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Connects again and again, until the signal or until it is refused for good. A connection continues from the last
 * event. Where there was none, what happened since the one before is not told, so that counts as an event.
 */
export async function listen(address: string, { onEvent, fetch = sessionFetch }: Listening, signal: AbortSignal) {
  let last: string | undefined;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const request = new Request(new URL(address + queryOf(last), globalThis.location?.href), { signal });
    const onOpen = isFirst || last !== undefined ? () => undefined : onEvent;
    const ended: StreamEnd = await readStream(() => fetch(request), { onOpen, onEvent }).catch(() => ({ status: 0 }));
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

async function readStream(
  connect: () => Promise<Response>,
  { onOpen, onEvent }: { readonly onOpen: () => void; readonly onEvent: () => void },
): Promise<StreamEnd> {
  const response = await connect();
  if (!response.ok || response.body === null) return { status: response.status };
  onOpen();
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
