// A strict format check of tokens before a library parses them (decision I1; RFC 7515 §3.1, §4.1, RFC 7519 §4, RFC 8725
// §3). Libraries accept non-canonical base64url, duplicate members and unexpected header parameters. Identity writes
// tokens in one form only.
const MAX_TOKEN_LENGTH = 4096;
const HEADER_MEMBERS: ReadonlySet<string> = new Set(['alg', 'kid', 'typ']);

/** Whether the text is a compact JWS of three canonical parts, whose header holds only `alg`, `kid` and `typ`. */
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
 * The object, when its text is exactly what JSON.stringify writes: no repeated member, no white space, no alternative
 * spelling.
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
