// Whether two texts are the same resource, whatever version each is.
import { isSameJson } from '../../shared/difference/same-json.ts';

/** Both are JSON of a resource. */
export function isSameContent(a: string, b: string): boolean {
  return isSameJson(contentOf(a), contentOf(b));
}

function contentOf(text: string): readonly unknown[] {
  const { meta, ...rest } = JSON.parse(text) as { readonly meta?: Readonly<Record<string, unknown>> };
  const { versionId: _version, lastUpdated: _moment, ...kept } = meta ?? {};
  return [kept, rest];
}
