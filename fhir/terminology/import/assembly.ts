// Builds a code system from the concepts of a file as they are read. Each error is reported with its line, and a file
// with errors has no result. The columns are in temporary files; memory holds a few integers for each concept
// (docs/adr/0034).
import type { Json } from '../json.ts';
import { type ConceptInput, ConceptWriter } from '../model/concept-writer.ts';
import { readCodeSystemMeta, readConcept } from '../model/read-code-system.ts';
import { circleMessage, circlesIn } from './circles.ts';
import { issuesOfConcept } from './concept-check.ts';
import type { SpillFiles } from './spill-file.ts';
import { type SpilledCodeSystem, SpilledColumns, type SpilledInts } from './spilled-columns.ts';
import { spillWords } from './word-runs.ts';

export interface FileIssue {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  /** The file of a release of several. */
  readonly file?: string;
}

/** An error after which the rest of a file cannot be read. */
export class FileUnreadable extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

export interface AssemblyOptions {
  readonly onIssue: (issue: FileIssue) => void;
  /** Validates the resource without its concepts. */
  readonly checkHead: (head: Json) => readonly string[];
  readonly files: SpillFiles;
  /** Names a line in a message; as a number alone when left out. */
  readonly nameLine?: (line: number) => string;
}

/** The place of a concept; `NOWHERE` for one with errors. */
export const NOWHERE = -1;

const WITH_CODES = new Set(['complete', 'fragment', 'example', 'supplement']);

export class Assembly {
  readonly head: Json;
  readonly #columns: SpilledColumns;
  readonly #writer: ConceptWriter;
  readonly #onIssue: (issue: FileIssue) => void;
  readonly #nameLine: (line: number) => string;
  /** By place: the line on which the concept begins. */
  readonly #lines: SpilledInts;
  #issues = 0;

  /** @throws FileUnreadable for a head that cannot be used */
  constructor(head: Json, line: number, { onIssue, checkHead, files, nameLine = String }: AssemblyOptions) {
    const issues = [...issuesOfHead(head), ...checkHead({ ...head, content: 'not-present' })];
    const meta = readCodeSystemMeta(head);
    if (issues.length > 0 || meta === undefined) throw new FileUnreadable(line, issues.join('; '));
    this.head = head;
    this.#columns = new SpilledColumns(files);
    this.#writer = new ConceptWriter(meta, this.#columns);
    this.#lines = this.#columns.list();
    this.#onIssue = onIssue;
    this.#nameLine = nameLine;
  }

  get size(): number {
    return this.#writer.size;
  }

  get issues(): number {
    return this.#issues;
  }

  issue(line: number, message: string): void {
    this.#issues += 1;
    this.#onIssue({ line, message });
  }

  /**
   * Adds a FHIR concept below the one at `parent`, or as a root (`NOWHERE`). `parents`: codes of further parents, which
   * may come later. @param more names of further members that the form of the file has
   */
  addConcept(concept: Json, line: number, { parent = NOWHERE, parents = NO_CODES, more = NO_CODES } = {}): number {
    const issues = issuesOfConcept(concept, more);
    for (const issue of issues) this.issue(line, issue);
    const input = readConcept(concept);
    return issues.length > 0 || input === undefined ? NOWHERE : this.add(input, line, { parent, parents });
  }

  add(input: ConceptInput, line: number, { parent = NOWHERE, parents = NO_CODES } = {}): number {
    const known = this.#writer.find(input.code);
    if (known !== NOWHERE) {
      this.issue(line, `the code ${input.code} stands on line ${this.#nameLine(this.#lines.at(known))} already`);
      return NOWHERE;
    }
    const place = this.#writer.add(input, parent);
    this.#lines.push(line);
    for (const code of parents) this.#writer.addParent(place, code);
    return place;
  }

  /** The place of a code; `NOWHERE` for none so far. */
  find(code: string): number {
    return this.#writer.find(code);
  }

  /** Adds another parent to a concept; the parent may come later. */
  addParent(place: number, code: string): void {
    this.#writer.addParent(place, code);
  }

  /**
   * Writes the columns, as a generator whose steps leave the event loop free. Undefined when there are errors, all of
   * which have been reported.
   */
  *finish(): Generator<void, SpilledCodeSystem | undefined> {
    const { head, isAcyclic } = yield* this.#writer.finish({
      onUnknown: (place, code) =>
        this.issue(this.#lines.at(place), `there is no code ${code}, which is said to be above or below`),
      onSelf: (place) => this.#reportCircle([place]),
    });
    if (!isAcyclic) for (const circle of circlesIn(this.#columns)) this.#reportCircle(circle);
    if (this.#issues > 0) return undefined;
    yield* spillWords(this.#columns, this.size);
    return this.#columns.packed(head);
  }

  #reportCircle(circle: readonly number[]): void {
    this.issue(
      this.#lines.at(circle[0] ?? 0),
      circleMessage(circle, (place) => this.#writer.codeAt(place)),
    );
  }
}

const NO_CODES: readonly string[] = [];

function issuesOfHead({ resourceType, url, content }: Json): string[] {
  return [
    ...(resourceType === 'CodeSystem' ? [] : ['the resourceType must be CodeSystem, and stand before the concepts']),
    ...(typeof url === 'string' && url !== '' ? [] : ['the url must be there, and stand before the concepts']),
    ...(typeof content === 'string' && WITH_CODES.has(content)
      ? []
      : ['the content must be complete, fragment, example or supplement, and stand before the concepts']),
  ];
}
