// `GET /metadata?mode=terminology`: the code systems with their versions, and what the operations support
// (hl7.org/fhir/R5/terminologycapabilities.html), generated from the catalog that the operations use.
import type { TerminologyCapabilities, TerminologyCapabilitiesCodeSystem } from 'fhir/r5.js';
import { type StatementText, statementText } from '#fhir/rest/http/statement.ts';
import { type Catalog, type Definition, pickVersion } from '#fhir/terminology/catalog/catalog.ts';
import { grammarSystems } from '#fhir/terminology/content/code-grammars.ts';
import { EXPANSION_PARAMETERS } from '#fhir/terminology/operations/expansion-parameters.ts';

interface Options {
  readonly baseUrl: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly catalog: Catalog;
}

type Content = TerminologyCapabilitiesCodeSystem['content'];

/** The metadata of a code system, which is read once. */
interface Kind {
  readonly content: Content;
  readonly isSubsuming: boolean;
}

const CONTENTS: readonly Content[] = ['not-present', 'example', 'fragment', 'complete', 'supplement'];

/** Systems that no list holds: their codes are looked up and validated by their form. */
const GRAMMARS: readonly TerminologyCapabilitiesCodeSystem[] = grammarSystems().map((uri) => ({
  uri,
  content: 'not-present',
  subsumption: false,
}));

/** Generated again when the catalog has changed. */
export function terminologyCapabilities(options: Options): () => StatementText {
  const { catalog } = options;
  const kinds = new WeakMap<Definition, Kind>();
  let made: { readonly generation: number; readonly statement: StatementText } | undefined;
  return () => {
    if (made?.generation !== catalog.generation) {
      made = { generation: catalog.generation, statement: statementText(build(options, kinds)) };
    }
    return made.statement;
  };
}

function build({ baseUrl, version, startedAt, catalog }: Options, kinds: WeakMap<Definition, Kind>): object {
  const { resourceType, ...rest }: TerminologyCapabilities = {
    resourceType: 'TerminologyCapabilities',
    status: 'active',
    date: new Date(startedAt).toISOString(),
    kind: 'instance',
    software: { name: 'Kedja engine', version },
    implementation: { description: 'Kedja engine', url: baseUrl },
    lockedDate: false,
    codeSystem: [...codeSystems(catalog, kinds), ...GRAMMARS],
    expansion: {
      hierarchical: true,
      paging: true,
      incomplete: false,
      parameter: EXPANSION_PARAMETERS.map((name) => ({ name })),
      textFilter:
        'Each word of the filter begins a word of the code, its display or a designation, whatever the case and the accents.',
    },
    validateCode: { translations: false },
    translation: { needsMap: false },
    closure: { translation: false },
  };
  const url = `${baseUrl}/metadata?mode=terminology`;
  return {
    resourceType,
    id: 'kedja-engine-terminology',
    url,
    version,
    name: 'KedjaEngineTerminology',
    title: 'Kedja engine: terminology',
    ...rest,
  };
}

function codeSystems(catalog: Catalog, kinds: WeakMap<Definition, Kind>): TerminologyCapabilitiesCodeSystem[] {
  const urls = [...new Set(catalog.list('CodeSystem').map(({ url }) => url))].sort();
  return urls.flatMap((uri) => {
    const versions = catalog.codeSystems(uri);
    const meant = pickVersion(versions, undefined);
    // Supplements are not separate code systems.
    if (meant === undefined) return [];
    const { content, isSubsuming } = kinds.get(meant) ?? kindOf(meant);
    kinds.set(meant, { content, isSubsuming });
    const named = versions.flatMap((each) =>
      each.version === undefined ? [] : [{ code: each.version, ...(each === meant ? { isDefault: true } : {}) }],
    );
    return [{ uri, ...(named.length === 0 ? {} : { version: named }), content, subsumption: isSubsuming }];
  });
}

function kindOf(definition: Definition): Kind {
  const { content, hierarchyMeaning } = definition.resource();
  return {
    content: CONTENTS.find((each) => each === content) ?? 'not-present',
    isSubsuming: hierarchyMeaning === undefined || hierarchyMeaning === 'is-a',
  };
}
