// Small questions over HTTP for `kedja doctor`: short time limits, small answers, no redirects.
import { randomUUID } from 'node:crypto';

const LIMIT_MS = 5_000;
const MOST_BYTES = 4 * 2 ** 20;

/** What `ask` returns when nothing refused the connection and no answer came in time. */
export const NO_ANSWER = `no answer within ${LIMIT_MS / 1000} s`;

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Whether the answer repeats the id of the request, as every answer of Kedja does. */
  readonly isKedja: boolean;
}

/** The answer, or why there is none: the driver's code, such as `ECONNREFUSED`. */
export async function ask(url: string): Promise<Answer | string> {
  const id = randomUUID();
  try {
    const response = await fetch(url, {
      headers: { 'x-request-id': id },
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const isKedja = response.headers.get('x-request-id') === id;
    return { status: response.status, text: await startOf(response), isKedja };
  } catch (error) {
    return reasonOf(error);
  }
}

/** The text, cut off where it is too long. */
async function startOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    if (bytes > MOST_BYTES) break;
  }
  return text;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return NO_ANSWER;
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return error.message;
}

/** Codes by which TLS refuses a certificate (nodejs.org/api/tls.html#x509-certificate-error-codes). */
export function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_/.test(code);
}

/** The reasons of a `/readyz` that answers 503; the status where it gives none. */
export function reasonsOf({ status, text }: Answer): string {
  try {
    const { reasons } = Object(JSON.parse(text));
    if (Array.isArray(reasons) && reasons.length > 0) return reasons.map(String).join(', ');
  } catch {
    // Not JSON: the status is all there is.
  }
  return `status ${status}`;
}
