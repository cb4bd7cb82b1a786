// Validates the return path of a login: a path on our own origin, parsed as a browser parses it (url.spec.whatwg.org),
// against open redirects.

/** Printable ASCII without backslash: what browsers and we read alike. */
const PATH = /^\/(?!\/)[!-[\]-~]*$/;
const LONGEST = 1024;

/** The path as it may be redirected to; undefined for another origin, and for what might be taken for one. */
export function readReturnPath(text: string, publicOrigin: string): string | undefined {
  if (text.length > LONGEST || !PATH.test(text)) return undefined;
  const url = URL.parse(text, publicOrigin);
  if (url === null || url.origin !== publicOrigin) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/./` + `/elsewhere` becomes `//elsewhere`, which a browser reads as another host.
  return path.startsWith('//') ? undefined : path;
}
