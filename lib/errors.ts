// `ServiceError`, the one error class, and `ERROR_CODES`, the one table of error codes (decisions G2 and G3). Services
// throw these errors. lib/http turns them into `{error, message}`, or into an OperationOutcome on FHIR paths.

/**
 * Every error code of Kedja, with its HTTP status and its FHIR R5 issue-type
 * (hl7.org/fhir/R5/valueset-issue-type.html).
 */
export const ERROR_CODES = {
  invalid_request: { status: 400, issue: 'structure' },
  validation_error: { status: 400, issue: 'invalid' },
  invalid_redirect: { status: 400, issue: 'value' },
  unauthorized: { status: 401, issue: 'login' },
  authentication_failed: { status: 401, issue: 'login' },
  forbidden: { status: 403, issue: 'forbidden' },
  invalid_service_credentials: { status: 403, issue: 'forbidden' },
  password_change_required: { status: 403, issue: 'expired' },
  second_factor_required: { status: 403, issue: 'forbidden' },
  consent_required: { status: 403, issue: 'suppressed' },
  not_found: { status: 404, issue: 'not-found' },
  method_not_allowed: { status: 405, issue: 'not-supported' },
  not_acceptable: { status: 406, issue: 'not-supported' },
  conflict: { status: 409, issue: 'conflict' },
  already_taken: { status: 409, issue: 'conflict' },
  expired: { status: 410, issue: 'expired' },
  deleted: { status: 410, issue: 'deleted' },
  precondition_failed: { status: 412, issue: 'conflict' },
  payload_too_large: { status: 413, issue: 'too-long' },
  unsupported_media_type: { status: 415, issue: 'not-supported' },
  unprocessable: { status: 422, issue: 'processing' },
  precondition_required: { status: 428, issue: 'required' },
  rate_limited: { status: 429, issue: 'throttled' },
  internal_error: { status: 500, issue: 'exception' },
  upstream_error: { status: 502, issue: 'transient' },
  unavailable: { status: 503, issue: 'transient' },
  upstream_unavailable: { status: 503, issue: 'transient' },
} as const satisfies Record<string, { status: number; issue: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(text: string | null): text is ErrorCode {
  return text !== null && Object.hasOwn(ERROR_CODES, text);
}

/** Whether the database is away, or had no place in time: the same may succeed later. */
export function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unavailable';
}

/** One error. `field` is a JSON field path such as `transactions[0].name`, or a FHIRPath expression on FHIR paths. */
export interface Issue {
  readonly message: string;
  readonly field?: string;
  /** FHIR issue-type, when it is more exact than the code's own (`required`, `code-invalid`, `invariant` …). */
  readonly code?: string;
  readonly severity?: 'error' | 'warning' | 'information';
  /** The code in HL7's tx-issue-type, of an error in terminology (`vs-invalid`, `version-error` …). */
  readonly txIssueType?: string;
  /** The message of an HTML page in the reader's language, where the page's own message would say less. */
  readonly texts?: { readonly sv: string; readonly en: string };
}

export interface ServiceErrorOptions {
  /** Every error found; shown as `messages` or as OperationOutcome issues. */
  readonly issues?: readonly Issue[];
  /** Seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Further response headers, lower-case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the response body, outside FHIR. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * An outcome that ends a request with the given code; `message` is shown to the caller and must hold no personal data.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.issues = shownIssues(options.issues ?? []);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
    this.details = options.details ?? {};
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/** A 404 for an operation of FHIR that is not served at the address it was called at; `name` begins with `$`. */
export function operationNotServed(name: string): ServiceError {
  const message = `The operation ${name} is not served at this address; the CapabilityStatement names those that are`;
  return new ServiceError('not_found', message, { issues: [{ message, code: 'not-supported' }] });
}

/** A 404 that names the kind of thing. It never says whether the thing exists for somebody else (decision G12). */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `${what} not found`);
}

/** A 409. The message names the state or the holder that prevents the change, `field` the value that is taken. */
export function conflict(message: string, field?: string): ServiceError {
  return new ServiceError('conflict', message, field === undefined ? {} : { issues: [{ field, message }] });
}

/** A 422 for one element of a resource, with the issue-type of the error (hl7.org/fhir/R5/valueset-issue-type.html). */
export function unprocessable(message: string, field: string, code = 'business-rule'): ServiceError {
  return new ServiceError('unprocessable', message, { issues: [{ message, field, code }] });
}

/** A 400 that lists every error. */
export function validationError(issues: readonly Issue[]): ServiceError {
  return new ServiceError('validation_error', messageOf(issues), { issues });
}

/** A 400 that lists every error of what cannot be read, such as a body. */
export function invalidRequest(issues: readonly Issue[]): ServiceError {
  return new ServiceError('invalid_request', messageOf(issues), { issues });
}

/** A 400 for a request that has more of something than one may have; `message` names the limit. */
export function tooCostly(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { issues: [{ message, code: 'too-costly' }] });
}

/** What the caller can correct, at least one issue. @throws the error when it is none of the caller's (status 500 …) */
export function correctableIssues(error: unknown): readonly Issue[] {
  if (!(error instanceof ServiceError) || error.status >= 500) throw error;
  return error.issues.length > 0 ? error.issues : [{ message: error.message }];
}

/** The most errors in a response. The last of them says how many more there are. */
export const MAX_ISSUES = 100;

/** The longest message or field of one issue, in characters: it may repeat what the client sent. */
const MAX_MESSAGE = 2000;

/** The longest text of all messages together, in characters. */
const MAX_TEXT = 16_000;

const SEVERITIES = ['error', 'warning', 'information'] as const;

/** The messages of the errors as one text. */
export function messageOf(issues: readonly Issue[]): string {
  const messages = shownIssues(issues).map((issue) => issue.message);
  return cut(messages.join('; '), MAX_TEXT);
}

/**
 * At most {@link MAX_ISSUES} of the issues, each cut to a readable length. Where not all fit, errors come before
 * warnings.
 */
export function shownIssues(issues: readonly Issue[]): readonly Issue[] {
  if (issues.length <= MAX_ISSUES) return issues.some(isLong) ? issues.map(shortened) : issues;
  const kept: Issue[] = [];
  for (const severity of SEVERITIES) {
    for (const issue of issues) {
      if (kept.length === MAX_ISSUES - 1) break;
      if ((issue.severity ?? 'error') === severity) kept.push(shortened(issue));
    }
  }
  return [...kept, furtherIssues(issues.length - kept.length)];
}

/** The last issue of a list that was cut. Leave out `count` where the rest was not counted. */
export function furtherIssues(count?: number): Issue {
  const message = count === undefined ? 'and more' : `and ${count} more`;
  return { message, severity: 'information', code: 'informational' };
}

function isLong({ message, field = '' }: Issue): boolean {
  return message.length > MAX_MESSAGE || field.length > MAX_MESSAGE;
}

function shortened(issue: Issue): Issue {
  if (!isLong(issue)) return issue;
  const { message, field } = issue;
  return {
    ...issue,
    message: cut(message, MAX_MESSAGE),
    ...(field === undefined ? {} : { field: cut(field, MAX_MESSAGE) }),
  };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
