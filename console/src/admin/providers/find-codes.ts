// Finds codes for a contract among the concepts of the library.
import { engine, read } from '../../api/clients.ts';
import type { Choice } from '../../shared/type-ahead.tsx';
import type { Code } from './contract.ts';

const MOST = 8;

export async function findCodes(text: string, signal: AbortSignal): Promise<Choice<Code>[]> {
  const query = { ...(text === '' ? {} : { search: text.slice(0, 200) }), per_page: MOST };
  const [concepts, libraries] = await Promise.all([
    read(engine.GET('/api/v1/concepts', { params: { query }, signal })),
    read(engine.GET('/api/v1/canonical-libs', { params: { query: { per_page: 200 } }, signal })),
  ]);
  const urls = new Map(libraries.data.map(({ canonical_lib_guid: guid, url }) => [guid, url]));
  return concepts.data.flatMap(({ concept_guid: key, canonical_lib, concept_code: code, concept_name, ...concept }) => {
    const system = urls.get(canonical_lib);
    const label = concept.concept_display_text ?? concept_name;
    return system === undefined ? [] : [{ key, label, detail: code, value: { system, code } }];
  });
}
