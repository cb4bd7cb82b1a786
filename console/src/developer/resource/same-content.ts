// Whether two texts are the same resource, whatever version each is.

/** Both are JSON of a resource. */
export function isSameContent(a: string, b: string): boolean {
  return contentOf(a) === contentOf(b);
}

function contentOf(text: string): string {
  const { meta, ...rest } = JSON.parse(text) as { readonly meta?: Readonly<Record<string, unknown>> };
  const { versionId: _version, lastUpdated: _moment, ...kept } = meta ?? {};
  return JSON.stringify([kept, rest], (_name, value: unknown) => (isRecord(value) ? sorted(value) : value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
