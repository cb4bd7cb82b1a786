// Validates the return path of a login: a path on our own origin, parsed as a browser parses it (url.spec.whatwg.org),
// against open redirects.

/** Printable ASCII without backslash, which browsers and this parser read alike. */
const PATH = /^\/(?!\/)[!-[\]-~]*$/;
const LONGEST = 1024;

/** The path for the redirect. Undefined for another origin, and for a text that a browser could read as one. */
export function readReturnPath(text: string, publicOrigin: string): string | undefined {
  if (text.length > LONGEST || !PATH.test(text)) return undefined;
  const url = URL.parse(text, publicOrigin);
  if (url === null || url.origin !== publicOrigin) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/./` + `/elsewhere` becomes `//elsewhere`, which a browser reads as another host.
  return path.startsWith('//') ? undefined : path;
}
