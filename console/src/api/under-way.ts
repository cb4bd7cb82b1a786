// A button that is pressed twice sends its request twice, under one key. The second is refused while the first is being
// processed (docs/reference/idempotency.md). It is asked again until there is an answer, which is that of the first.

const PAUSE_MS = 500;
/** The service itself gives up a request after 30 seconds. */
const MOST_TRIES = 60;

type Send = (request: Request) => Promise<Response>;

/** @param pause how to wait between two tries, for tests */
export async function answered(request: Request, send: Send, pause: () => Promise<void> = rest): Promise<Response> {
  if (!request.headers.has('idempotency-key')) return send(request);
  let next = request;
  for (let tries = 1; ; tries += 1) {
    const again = next.clone();
    const response = await send(next);
    const isUnderWay = response.status === 409 && response.headers.has('retry-after');
    if (!isUnderWay || tries >= MOST_TRIES || again.signal.aborted) return response;
    await pause();
    next = again;
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
