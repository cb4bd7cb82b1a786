// The reason phrase of a status (RFC 9110 §15).

/**
 * Not imported by name: an import by name of `node:http` evaluates all of its exports. Among them are those of a
 * WebSocket client, which Node loads then. That takes 70 ms of processor time.
 */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** `Not Found` of 404; undefined for a number that is no status. */
export function statusText(status: number): string | undefined {
  return STATUS_CODES[status];
}
