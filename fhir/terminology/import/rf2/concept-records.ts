// Records of concepts between the files of a release and the columns: lines of a bucket (./buckets.ts), each with the
// place of its concept.

import type { Property } from '../../model/code-system-model.ts';
import type { ConceptInput } from '../../model/concept-writer.ts';
import type { DescriptionDialect, DesignationKind } from '../../model/designations.ts';
import { refsetOfDialect } from '../../model/snomed/dialects.ts';
import type { RelationInput } from '../../model/snomed/relation-writer.ts';
import { CellReader, startsOf } from './buckets.ts';

/** What a concept is made of, as its lines say. */
export interface ConceptRecord {
  isActive: boolean;
  moduleId: string;
  effectiveTime: string;
  isDefined: boolean;
  /** The line of the concept's row. */
  line: number;
  readonly descriptions: Description[];
  /** Places. */
  readonly parents: number[];
  readonly relations: RelationInput[];
}

interface Description {
  readonly kind: DescriptionKind;
  readonly term: string;
}

/** What many descriptions have in common. */
interface DescriptionKind {
  readonly designation: DesignationKind;
  /** Smaller ones come first. */
  readonly order: number;
  readonly isDefinition: boolean;
}

export function conceptLine(
  place: number,
  { cells, line }: { readonly cells: readonly string[]; readonly line: number },
): string {
  const [, time, active, moduleId, status] = cells;
  return `${place}\tC\t${active}\t${moduleId}\t${time}\t${status === DEFINED ? 1 : 0}\t${line}`;
}

const DEFINED = '900000000000073002';

/**
 * The line of a description.
 * @param rest its kind (`kindText`), a tab and its term
 * @param dialects `refset:1` for a preferred description, `refset:0` for an acceptable one, parted by commas
 */
export function descriptionLine(place: number, rest: string, dialects: string): string {
  return `${place}\tD\t${dialects}|${rest}`;
}

/** The kind of a description without its dialects. */
export function kindText(parts: {
  readonly moduleId: string;
  readonly effectiveTime: string;
  readonly language: string;
  readonly type: string;
}): string {
  return `${parts.moduleId}|${parts.effectiveTime}|${parts.language}|${parts.type}`;
}

export function parentLine(place: number, parent: number): string {
  return `${place}\tP\t${parent}`;
}

/** @param target a place, or a concrete value */
export function relationLine(
  place: number,
  { type, group, target }: { readonly type: string; readonly group: string; readonly target: number | string },
): string {
  return `${place}\t${typeof target === 'number' ? 'R' : 'V'}\t${type}\t${group}\t${target}`;
}

export interface RecordRange {
  readonly from: number;
  readonly count: number;
}

/**
 * The record of each place in turn, from the lines of their bucket in any order. One is made when it is asked for: all
 * at once would outlive many collections of garbage.
 */
export function* recordsOf(
  bytes: Buffer,
  { from, count }: RecordRange,
  kinds: DescriptionKinds,
): Generator<ConceptRecord> {
  const starts = startsOf(bytes);
  const { ends, lines } = byPlace(bytes, starts, { from, count });
  const cells = new CellReader(bytes);
  for (let at = 0, next = 0; at < count; at += 1) {
    const record = emptyRecord();
    for (const end = ends[at] ?? 0; next < end; next += 1) {
      const line = lines[next] ?? 0;
      cells.begin(starts[line] ?? 0, starts[line + 1] ?? 0);
      addTo(record, cells, kinds);
    }
    yield record;
  }
}

/** The lines of each place in their order: one after the other in `lines`, those of a place up to its `ends`. */
function byPlace(
  bytes: Buffer,
  starts: Int32Array,
  { from, count }: RecordRange,
): { readonly ends: Int32Array; readonly lines: Int32Array } {
  const places = new Int32Array(starts.length - 1);
  const ends = new Int32Array(count);
  const cells = new CellReader(bytes);
  for (let line = 0; line < places.length; line += 1) {
    cells.begin(starts[line] ?? 0, starts[line + 1] ?? 0);
    const place = cells.number() - from;
    places[line] = place;
    ends[place] = (ends[place] ?? 0) + 1;
  }
  // First where the lines of each place begin; each then moves to where they end.
  let before = 0;
  for (let place = 0; place < count; place += 1) {
    const own = ends[place] ?? 0;
    ends[place] = before;
    before += own;
  }
  const lines = new Int32Array(places.length);
  for (let line = 0; line < places.length; line += 1) {
    const place = places[line] ?? 0;
    const at = ends[place] ?? 0;
    lines[at] = line;
    ends[place] = at + 1;
  }
  return { ends, lines };
}

function emptyRecord(): ConceptRecord {
  return {
    isActive: false,
    moduleId: '',
    effectiveTime: '',
    isDefined: false,
    line: 1,
    descriptions: [],
    parents: [],
    relations: [],
  };
}

function addTo(record: ConceptRecord, cells: CellReader, kinds: DescriptionKinds): void {
  // The place is known.
  cells.number();
  switch (cells.ascii()) {
    case 'D':
      record.descriptions.push({ kind: kinds.of(cells.ascii()), term: cells.rest() });
      return;
    case 'C':
      record.isActive = cells.number() === 1;
      record.moduleId = cells.ascii();
      record.effectiveTime = cells.ascii();
      record.isDefined = cells.number() === 1;
      record.line = cells.number();
      return;
    case 'P':
      record.parents.push(cells.number());
      return;
    case 'R':
      record.relations.push({ type: cells.ascii(), group: cells.number(), target: cells.number() });
      return;
    default:
      record.relations.push({ type: cells.ascii(), group: cells.number(), target: cells.rest() });
  }
}

const SNOMED = 'http://snomed.info/sct';
const [SYNONYM, FULLY_SPECIFIED_NAME, DEFINITION] = ['900000000000013009', '900000000000003001', '900000000000550004'];
const USES: Readonly<Record<string, string>> = {
  [SYNONYM]: 'Synonym',
  [FULLY_SPECIFIED_NAME]: 'Fully specified name',
  [DEFINITION]: 'Definition',
};

/** The kinds of descriptions by their texts: each is one object, by which the writer of the columns knows it again. */
export class DescriptionKinds {
  readonly #wanted: string;
  readonly #known = new Map<string, DescriptionKind>();

  /** @param language the language of displays */
  constructor(language: string) {
    this.#wanted = language;
  }

  of(text: string): DescriptionKind {
    const known = this.#known.get(text) ?? this.#read(text);
    this.#known.set(text, known);
    return known;
  }

  #read(text: string): DescriptionKind {
    const [given = '', moduleId = '', effectiveTime = '', language = '', type = ''] = text.split('|');
    const dialects = given.split(',').flatMap((each): DescriptionDialect[] => {
      const [refset = '', preferred = ''] = each.split(':');
      return refset === '' ? [] : [{ refset, isPreferred: preferred === '1' }];
    });
    const use = { system: SNOMED, code: type, display: USES[type] };
    return {
      designation: { language, use, description: { moduleId, effectiveTime, dialects } },
      order: orderOf({ type, language, dialects }, this.#wanted),
      isDefinition: type === DEFINITION,
    };
  }
}

interface Ordered {
  readonly type: string;
  readonly language: string;
  readonly dialects: readonly DescriptionDialect[];
}

/** Preferred synonyms come first, then other synonyms, fully specified names and definitions. */
function orderOf({ type, language, dialects }: Ordered, wanted: string): number {
  const isPreferred = dialects.some((dialect) => dialect.isPreferred);
  const byType = type === SYNONYM ? (isPreferred ? 0 : 1) : type === FULLY_SPECIFIED_NAME ? 2 : 3;
  const [base] = wanted.split('-');
  return (language === base ? 0 : 1) + 2 * byType + dialectOrder(dialects, wanted);
}

/** Within a language the dialect that is asked for comes first, or else American English. */
function dialectOrder(dialects: readonly DescriptionDialect[], wanted: string): number {
  const refset = refsetOfDialect(wanted.toLowerCase()) ?? AMERICAN_ENGLISH;
  return dialects.some((each) => each.isPreferred && each.refset === refset) ? -0.5 : 0;
}

const AMERICAN_ENGLISH = '900000000000509007';

/** A concept for the columns, displayed by the preferred synonym in the language, or by what comes next to it. */
export function inputOf(code: string, record: ConceptRecord): ConceptInput {
  const descriptions = record.descriptions.sort((a, b) => a.kind.order - b.kind.order);
  return {
    code,
    display: descriptions.find(({ kind }) => !kind.isDefinition)?.term,
    definition: descriptions.find(({ kind }) => kind.isDefinition)?.term,
    designations: descriptions.map(({ kind, term }) => ({ ...kind.designation, value: term })),
    properties: propertiesOf(record),
  };
}

function propertiesOf({ isActive, isDefined, moduleId, effectiveTime }: ConceptRecord): Property[] {
  return [
    ...(isActive ? [] : [{ code: 'inactive', kind: 'boolean' as const, value: 'true' }]),
    { code: 'sufficientlyDefined', kind: 'boolean', value: String(isDefined) },
    { code: 'moduleId', kind: 'code', value: moduleId },
    { code: 'effectiveTime', kind: 'string', value: effectiveTime },
  ];
}
