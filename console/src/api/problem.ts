// What went wrong, as every screen shows it. It has the server's code, what it says of fields, and the id under which
// its log has the request.

export class Problem extends Error {
  readonly status: number;
  /** The server's error code, such as `validation_error`. */
  readonly code: string;
  /** One text for each issue, where the server names several. */
  readonly messages: readonly string[];
  readonly requestId: string | undefined;
  /** Whether the same request is being processed already, so that it may be asked for again in a moment. */
  readonly isUnderWay: boolean;
  /** What the server sent: for who knows its form. */
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    const { error, message, messages } = readBody(body);
    super(message ?? `The server answered ${response.status}`);
    this.name = 'Problem';
    this.status = response.status;
    this.code = error ?? 'unknown';
    this.messages = messages;
    this.body = body;
    this.isUnderWay = response.status === 409 && response.headers.has('retry-after');
    this.requestId = response.headers.get('x-request-id') ?? undefined;
  }
}

/** Whether it was refused because another version than the named one is stored (RFC 9110 §13.1.1). */
export function isChangedSince(error: unknown): boolean {
  return error instanceof Problem && error.status === 412;
}

interface Described {
  readonly error?: string | undefined;
  readonly message?: string | undefined;
  readonly messages: readonly string[];
}

interface OutcomeIssue {
  readonly diagnostics?: string;
  readonly details?: { readonly text?: string; readonly coding?: readonly { readonly code?: string }[] };
}

/** Our own errors, or an OperationOutcome. */
function readBody(body: unknown): Described {
  if (typeof body !== 'object' || body === null) return { messages: [] };
  if ('issue' in body && Array.isArray(body.issue)) {
    const issues = body.issue as readonly OutcomeIssue[];
    const texts = issues.map(({ details, diagnostics }) => details?.text ?? diagnostics ?? '');
    return { error: issues[0]?.details?.coding?.[0]?.code, message: texts[0], messages: texts };
  }
  const { error, message, messages } = body as { error?: string; message?: string; messages?: string[] };
  return { error, message, messages: messages ?? [] };
}

/** Whether repeating it may help: the server was busy or away. */
export function isPassing(error: unknown): boolean {
  return error instanceof Problem ? error.status >= 500 || error.status === 429 : true;
}
