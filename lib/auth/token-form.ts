// The strict check of form that stands before a library reads a token (decision I1; RFC 7515 §3.1, §4.1, RFC 7519 §4,
// RFC 8725 §3): libraries forgive sloppy base64url, duplicated members and header parameters that nobody asked for.
// Identity writes tokens in one way, and nothing else is one.
const MAX_TOKEN_LENGTH = 4096;
const HEADER_MEMBERS: ReadonlySet<string> = new Set(['alg', 'kid', 'typ']);

/**
 * Whether the text is a compact JWS of three canonical parts, whose header holds nothing but `alg`, `kid` and `typ`.
 */
export function isStrictToken(token: string): boolean {
  if (token.length > MAX_TOKEN_LENGTH) return false;
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every(isCanonicalBase64Url)) return false;
  const header = readCanonicalObject(parts[0] ?? '');
  return (
    header !== undefined &&
    typeof header['kid'] === 'string' &&
    Object.keys(header).every((name) => HEADER_MEMBERS.has(name)) &&
    readCanonicalObject(parts[1] ?? '') !== undefined
  );
}

function isCanonicalBase64Url(part: string): boolean {
  return part.length > 0 && Buffer.from(part, 'base64url').toString('base64url') === part;
}

/**
 * The object, when its text is how JSON.stringify writes it: no member twice, no blanks, no second spelling of
 * anything.
 */
function readCanonicalObject(part: string): Readonly<Record<string, unknown>> | undefined {
  const text = Buffer.from(part, 'base64url').toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return JSON.stringify(value) === text ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
