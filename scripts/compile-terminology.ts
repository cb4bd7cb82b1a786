// Writes fhir/terminology/generated/ from the official packages: the code systems, value sets and concept maps of R5
// and of HL7's terminology. They are compressed in blocks, with an index that names each by its line in one of them.
// `--check` writes nothing and ends with 1 when a file differs from what would be made.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { packBlocks, unpackBlock } from '#fhir/terminology/catalog/blocks.ts';
import { readPackage, toLines } from './fhir-definitions/package-files.ts';

type Json = Readonly<Record<string, unknown>>;

const TARGET = new URL('../fhir/terminology/generated/', import.meta.url);
/**
 * Code systems that others publish, as the official expansions of the value sets of all of their codes have them
 * (hl7.fhir.r5.expansions, CC0). The expansions say which version they are of, but for currencies.
 */
const FROM_EXPANSIONS = [
  { expansion: 'currencies', id: 'iso-4217', name: 'ISO4217', title: 'ISO 4217 currency codes' },
  { expansion: 'country', id: 'iso-3166', name: 'ISO3166', title: 'ISO 3166-1 country codes' },
  { expansion: 'timezones', id: 'iana-time-zones', name: 'IANATimeZones', title: 'IANA time zones' },
];
/**
 * Names that the expansions misprint: letters that lost a bit (`Å`, 0xC5, as `E`, 0x45), a name cut at its comma, marks
 * of footnotes. The display is as it is there; the right name (ISO 3166-1, ISO 4217) becomes a designation beside it.
 */
const MISPRINTED = new Map([
  ['Eland Islands', 'Åland Islands'],
  ['Saint Barthilemy', 'Saint Barthélemy'],
  ["Ctte d'Ivoire", "Côte d'Ivoire"],
  ['Curagao', 'Curaçao'],
  ['Riunion', 'Réunion'],
  ['Virgin Islands,', 'Virgin Islands, U.S.'],
  ['Renminbi (Chinese) yuan[8]', 'Renminbi (Chinese) yuan'],
  ['Unidad de Valor Real (UVR) (funds code)[9]', 'Unidad de Valor Real (UVR) (funds code)'],
  ['Philippine piso[13]', 'Philippine piso'],
  [
    'Uruguay Peso en Unidades Indexadas (URUIURUI) (funds code)',
    'Uruguay Peso en Unidades Indexadas (UI) (funds code)',
  ],
  ['Zimbabwean dollar A/10', 'Zimbabwean dollar'],
]);
const TYPES = ['CodeSystem', 'ValueSet', 'ConceptMap'];
/** R5 goes first: what both publish is taken from the later one. */
const PACKAGES = ['hl7.fhir.r5.core', 'hl7.terminology.r5'];
/** Characters of a block: small enough to be read for one definition, large enough to be compressed well. */
const BLOCK_LENGTH = 100_000;
const MAX_ID = 64;

/** What terminology does not read: who wrote it, and what it says to people. */
const LEFT_OUT = new Set(
  `meta text contact jurisdiction identifier publisher description copyright copyrightLabel purpose useContext implicitRules date
   approvalDate lastReviewDate effectivePeriod topic author editor reviewer endorser relatedArtifact versionAlgorithmString contained
   immutable count lockedDate`.split(/\s+/),
);
const STANDARDS_STATUS = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status';

/** The members that are kept, at the top of the resource and, of extensions, everywhere within it. */
function kept(resource: Json): Json {
  const members = Object.entries(resource).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(members.flatMap(([name, value]) => keptMember(name, value)));
}

function keptMember(name: string, value: unknown): [string, unknown][] {
  if (name === 'extension' && Array.isArray(value)) {
    const extensions = value.filter((each) => each.url === STANDARDS_STATUS);
    return extensions.length === 0 ? [] : [[name, extensions]];
  }
  // Extensions of primitives.
  if (name.startsWith('_')) return [];
  return [[name, keptValue(value)]];
}

function keptValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keptValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, item]) => keptMember(name, item)));
}

/**
 * Both packages have definitions with the same id at different addresses; an id names one of its type, so the later one
 * gets another.
 */
function createIds(): (type: string, id: string) => string {
  const taken = new Set<string>();
  return (type, id) => {
    const free = taken.has(`${type}/${id}`) ? `${id}-tho` : id;
    if (free.length > MAX_ID || taken.has(`${type}/${free}`)) throw new Error(`No id is left for ${type}/${id}`);
    taken.add(`${type}/${free}`);
    return free;
  };
}

interface Expanded extends Json {
  readonly expansion: {
    readonly parameter: readonly { readonly name: string; readonly valueUri?: string }[];
    readonly contains: readonly { readonly system: string; readonly code: string; readonly display: string }[];
  };
}

function rightNameOf(display: string): Json {
  const value = MISPRINTED.get(display);
  return value === undefined ? {} : { designation: [{ language: 'en', value }] };
}

function codeSystemsOfExpansions(): Json[] {
  const valueSets = readPackage<Expanded>('hl7.fhir.r5.expansions', 'ValueSet');
  return FROM_EXPANSIONS.map(({ expansion: name, ...said }) => {
    const found = valueSets.find(({ url }) => url === `http://hl7.org/fhir/ValueSet/${name}`);
    const { contains = [], parameter = [] } = found?.expansion ?? {};
    const [url, ...others] = new Set(contains.map(({ system }) => system));
    if (url === undefined || others.length > 0)
      throw new Error(`The expansion of ${name} is not that of one code system`);
    const version = parameter.find((each) => each.name === 'version')?.valueUri?.split('|')[1];
    const concept = contains.map(({ code, display }) => ({ code, display, ...rightNameOf(display) }));
    const versioned = version === undefined ? {} : { version };
    const rest = { status: 'active', caseSensitive: true, valueSet: found?.['url'], content: 'complete', concept };
    return { resourceType: 'CodeSystem', ...said, url, ...versioned, ...rest };
  });
}

function definitions(): Json[] {
  const official = PACKAGES.flatMap((name) => TYPES.flatMap((type) => readPackage<Json>(name, type)));
  return [...official, ...codeSystemsOfExpansions()];
}

interface Compiled {
  readonly index: string;
  readonly blocks: readonly string[];
}

function compile(): Compiled {
  const index: unknown[] = [];
  const blocks: string[][] = [[]];
  const idOf = createIds();
  let length = 0;
  for (const resource of definitions()) {
    const { url, version, status, name, title, content, supplements } = resource;
    const type = String(resource['resourceType']);
    const id = idOf(type, String(resource['id']));
    const line = JSON.stringify(kept({ ...resource, id }));
    if (length > 0 && length + line.length > BLOCK_LENGTH) {
      blocks.push([]);
      length = 0;
    }
    const lines = blocks[blocks.length - 1] ?? [];
    index.push([
      type,
      url,
      version ?? null,
      id,
      status,
      blocks.length - 1,
      lines.push(line) - 1,
      name ?? null,
      title ?? null,
      ...(content === 'supplement' ? [supplements] : []),
    ]);
    length += line.length;
  }
  return { index: `${toLines(index, 1)}\n`, blocks: blocks.map((lines) => lines.join('\n')) };
}

function compress(text: string): Buffer {
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
}

/** The compressed form may differ from one release of zlib to the next: what counts is what is in it. */
function isUpToDate({ index, blocks }: Compiled): boolean {
  const [indexFile, blockFile] = [new URL('index.json', TARGET), new URL('definitions.bin', TARGET)];
  if (!existsSync(indexFile) || !existsSync(blockFile)) return false;
  if (readFileSync(indexFile, 'utf8') !== index) return false;
  const bytes = readFileSync(blockFile);
  return blocks.every((block, number) => unpackBlock(bytes, number) === block);
}

const compiled = compile();
const isCheck = process.argv.includes('--check');
if (isUpToDate(compiled)) console.log('The terminology is up to date');
else if (isCheck) {
  console.error('fhir/terminology/generated/ is out of date. Run: node scripts/compile-terminology.ts');
  process.exitCode = 1;
} else {
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(new URL('index.json', TARGET), compiled.index);
  writeFileSync(new URL('definitions.bin', TARGET), packBlocks(compiled.blocks.map(compress)));
  console.log('Wrote fhir/terminology/generated/');
}
