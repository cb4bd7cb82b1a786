// The code systems, value sets and concept maps that HL7 publishes with R5 and in its terminology package (made by
// scripts/compile-terminology.ts). The index is read when anything is first asked for, a definition's text when it is
// asked for itself.
import { readFileSync } from 'node:fs';
import type { Json } from '../json.ts';
import { unpackBlock } from './blocks.ts';
import { type Catalog, catalogFrom, type Definition, type DefinitionType } from './catalog.ts';
import { asCodeSystem, catalogOf, once } from './table-catalog.ts';

type IndexRow = readonly [
  type: DefinitionType,
  url: string,
  version: string | null,
  id: string,
  status: string,
  block: number,
  line: number,
  name: string | null,
  title: string | null,
  supplements?: string,
];

/** Blocks that are kept unpacked: definitions that belong together stand together. */
const KEPT_BLOCKS = 4;

export const officialCatalog: () => Catalog = once(() => {
  const rows = JSON.parse(readGenerated('index.json').toString('utf8')) as readonly IndexRow[];
  const lines = createBlockReader(once(() => readGenerated('definitions.bin')));
  const ofType = (wanted: DefinitionType): Definition[] =>
    rows.flatMap(([type, url, version, id, status, block, line, name, title, supplements]) => {
      if (type !== wanted) return [];
      const text = (): string => lines(block)[line] ?? '{}';
      const resource = (): Json => JSON.parse(text()) as Json;
      const said = { version: version ?? undefined, name: name ?? undefined, title: title ?? undefined };
      return [{ url, ...said, id, status, supplements, resource, text }];
    });
  return catalogOf({
    codeSystems: ofType('CodeSystem').map((each) => asCodeSystem(each)),
    valueSets: ofType('ValueSet').map(kept),
    conceptMaps: ofType('ConceptMap').map(kept),
  });
});

/** The same, read when it is first asked for anything; what is published does not change while it is asked. */
export const laterOfficialCatalog: Catalog = catalogFrom(() => 0, officialCatalog);

function kept(definition: Definition): Definition {
  return { ...definition, resource: once(definition.resource) };
}

function createBlockReader(bytes: () => Buffer): (number: number) => readonly string[] {
  const known = new Map<number, readonly string[]>();
  return (number) => {
    const found = known.get(number) ?? unpackBlock(bytes(), number)?.split('\n') ?? [];
    known.delete(number);
    known.set(number, found);
    if (known.size > KEPT_BLOCKS) known.delete(known.keys().next().value ?? number);
    return found;
  };
}

function readGenerated(name: string): Buffer {
  return readFileSync(new URL(`../generated/${name}`, import.meta.url));
}
