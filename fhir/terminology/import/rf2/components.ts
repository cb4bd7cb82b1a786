// Reads the files of a snapshot, one kind after the other: concepts give the places, and everything else is put beside
// its concept.
import { FileUnreadable } from '../assembly.ts';
import type { SpillFiles } from '../spill-file.ts';
import { Buckets } from './buckets.ts';
import { conceptLine, kindText, parentLine, relationLine } from './concept-records.ts';
import { DescriptionJoin } from './descriptions.ts';
import type { EditionEvidence } from './edition.ts';
import { type FileKind, fieldKinds } from './file-kinds.ts';
import { MemberCollector } from './members.ts';
import { COMMON, type ReleaseFile, type Reporter, type Row, type RowReader, readRows } from './rows.ts';
import { componentOf, isFormOfSctid, isSctid, SctidTable } from './sctid.ts';

/** Concepts of one bucket; a bucket is read as a whole. */
export const CONCEPTS_OF_BUCKET = 1 << 13;

const IS_A = '116680003';
const INFERRED = '900000000000011006';
const PREFERRED = '900000000000548007';
const MEMBER = [...COMMON, 'refsetId', 'referencedComponentId'];
const CONCRETE = /^(?:#[-+]?\d+(?:\.\d+)?|".*"|true|false)$/i;

export class Components {
  readonly concepts = new SctidTable();
  /** The lines of concepts (./concept-records.ts), by place. */
  readonly records: Buckets;
  readonly members: MemberCollector;
  readonly #descriptions: DescriptionJoin;
  readonly #edition: EditionEvidence;
  readonly #readers: Readonly<Record<FileKind, (file: ReleaseFile) => RowReader>>;

  constructor(files: SpillFiles, edition: EditionEvidence) {
    this.records = new Buckets(files);
    this.members = new MemberCollector(files);
    this.#descriptions = new DescriptionJoin(files);
    this.#edition = edition;
    this.#readers = {
      concept: () => exact([...COMMON, 'definitionStatusId'], (row) => this.#addConcept(row)),
      description: () =>
        exact([...COMMON, 'conceptId', 'languageCode', 'typeId', 'term', 'caseSignificanceId'], (row) =>
          this.#addDescription(row),
        ),
      relationship: () =>
        exact(
          [...COMMON, 'sourceId', 'destinationId', 'relationshipGroup', 'typeId', 'characteristicTypeId', 'modifierId'],
          (row) => this.#addRelationship(row),
        ),
      concreteValue: () =>
        exact(
          [...COMMON, 'sourceId', 'value', 'relationshipGroup', 'typeId', 'characteristicTypeId', 'modifierId'],
          (row) => this.#addConcreteValue(row),
        ),
      language: () => exact([...MEMBER, 'acceptabilityId'], (row) => this.#addDialect(row)),
      moduleDependency: () =>
        exact([...MEMBER, 'sourceEffectiveTime', 'targetEffectiveTime'], ({ cells }) => {
          const [, , active, moduleId = '', , on = ''] = cells;
          if (active === '1') edition.addDependency(moduleId, on);
        }),
      refset: (file) => this.#memberReader(file),
    };
  }

  /** @throws FileUnreadable naming the line */
  async read(kind: FileKind, file: ReleaseFile, reporter: Reporter): Promise<void> {
    await readRows(file, this.#readers[kind](file), reporter);
  }

  /** Puts the descriptions beside their concepts, when all files have been read. */
  *finish(): Generator<void> {
    yield* this.#descriptions.join((place, line) => this.#put(place, line));
  }

  #put(place: number, line: string): void {
    this.records.add(Math.floor(place / CONCEPTS_OF_BUCKET), line);
  }

  #addConcept(row: Row): void {
    const [id = '', time = '', , moduleId = ''] = row.cells;
    if (!isSctid(id) || componentOf(id) !== 'concept') row.issue(`${id} is no identifier of a concept`);
    else if (this.concepts.find(id) !== -1) row.issue(`the concept ${id} is there twice`);
    else {
      this.#edition.addConcept(moduleId, time);
      const place = this.concepts.add(id);
      this.#put(place, conceptLine(place, row));
    }
  }

  /** The place of a concept; -1 for an unknown one, which has been reported, or when no concept could be read. */
  #place(id: string, row: Row): number {
    const place = this.concepts.find(id);
    if (place === -1 && this.concepts.size > 0) row.issue(`there is no concept ${id}`);
    return place;
  }

  #addDescription(row: Row): void {
    const [id = '', time = '', active, moduleId = '', concept = '', language = '', type = '', term = ''] = row.cells;
    if (active === '0') return;
    if (!isSctid(id) || componentOf(id) !== 'description') row.issue(`${id} is no identifier of a description`);
    else if (term.trim() === '') row.issue('the term is missing');
    else {
      const place = this.#place(concept, row);
      const kind = kindText({ moduleId, effectiveTime: time, language, type });
      if (place !== -1) this.#descriptions.addDescription(id, place, { kind, term });
    }
  }

  #addDialect({ cells }: Row): void {
    const [, , active, , refset = '', description = '', acceptability] = cells;
    // Others are of no description.
    if (active === '1' && isFormOfSctid(description))
      this.#descriptions.addDialect(description, refset, acceptability === PREFERRED);
  }

  #addRelationship(row: Row): void {
    const [, , active, , source = '', target = '', group = '', type = '', characteristic] = row.cells;
    if (active === '0' || characteristic !== INFERRED) return;
    const [place, other] = [this.#place(source, row), this.#place(target, row)];
    if (place === -1 || other === -1) return;
    if (type === IS_A) this.#put(place, parentLine(place, other));
    else if (this.#isAttribute(type, group, row)) this.#put(place, relationLine(place, { type, group, target: other }));
  }

  #addConcreteValue(row: Row): void {
    const [, , active, , source = '', value = '', group = '', type = '', characteristic] = row.cells;
    if (active === '0' || characteristic !== INFERRED) return;
    if (!CONCRETE.test(value)) {
      row.issue(`the value ${value} is no number (#1), text ("a") or truth value`);
      return;
    }
    const place = this.#place(source, row);
    if (place !== -1 && this.#isAttribute(type, group, row))
      this.#put(place, relationLine(place, { type, group, target: value }));
  }

  #isAttribute(type: string, group: string, row: Row): boolean {
    const isGroup = /^\d{1,4}$/.test(group);
    if (!isGroup) row.issue(`the relationshipGroup ${group} is no number of a group`);
    return this.#place(type, row) !== -1 && isGroup;
  }

  #memberReader(file: ReleaseFile): RowReader {
    const kinds = fieldKinds(file);
    let fields: readonly string[] = [];
    return {
      header: MEMBER,
      hasMore: true,
      onHeader: (names) => {
        fields = names.slice(MEMBER.length);
        if (fields.length === kinds.length) return;
        const message = `the name of the file says ${kinds.length} further columns, and there are ${fields.length}`;
        throw new FileUnreadable(1, message);
      },
      onRow: (row) => this.#addMember(row, fields, kinds),
    };
  }

  /** Members that are descriptions or relationships are left out. */
  #addMember(row: Row, fields: readonly string[], kinds: readonly string[]): void {
    const [, effectiveTime = '', active, moduleId = '', refset = '', component = '', ...cells] = row.cells;
    if (active === '0' || componentOf(component) !== 'concept') return;
    const place = this.#place(component, row);
    if (this.#place(refset, row) === -1 || place === -1) return;
    const values = cells.map((cell, at) => {
      const known = kinds[at] === 'c' ? this.concepts.find(cell) : -1;
      return known === -1 ? cell : known;
    });
    this.members.add({ refset, place, moduleId, effectiveTime, values }, fields);
  }
}

function exact(header: readonly string[], onRow: (row: Row) => void): RowReader {
  return { header, hasMore: false, onRow };
}
