// Imports a snapshot of SNOMED CT in RF2 (docs/adr/0111) from a folder or a zip archive. All rows are put beside their
// concepts in temporary files, and these become columns, concept by concept.
import { setImmediate as others } from 'node:timers/promises';
import type { Json } from '../../json.ts';
import { listed } from '../../messages.ts';
import type { ColumnsHead } from '../../model/code-system-model.ts';
import { ConceptWriter } from '../../model/concept-writer.ts';
import { readCodeSystemMeta } from '../../model/read-code-system.ts';
import { RefsetWriter } from '../../model/snomed/refset-writer.ts';
import { RelationWriter } from '../../model/snomed/relation-writer.ts';
import { type AssemblyOptions, FileUnreadable } from '../assembly.ts';
import { circleMessage, circlesIn } from '../circles.ts';
import type { ReadFile } from '../code-system-file.ts';
import { openRelease, type ReleaseFiles } from '../releases/release-files.ts';
import { SpillFiles } from '../spill-file.ts';
import { type SpilledCodeSystem, SpilledColumns } from '../spilled-columns.ts';
import { spillWords } from '../word-runs.ts';
import { CONCEPTS_OF_BUCKET, Components } from './components.ts';
import { DescriptionKinds, inputOf, recordsOf } from './concept-records.ts';
import { EditionEvidence, ENGLISH, headOf } from './edition.ts';
import { dateOf, type FileKind, kindOf } from './file-kinds.ts';
import type { ReleaseFile, Reporter } from './rows.ts';

export interface Snapshot extends Pick<AssemblyOptions, 'checkHead' | 'onIssue'> {
  readonly path: string;
  readonly options: {
    readonly url?: string;
    /** The URI of the version, where the release does not name it. */
    readonly version?: string;
    /** The language of displays, also as a dialect: `sv`, `en-GB`. English by default. */
    readonly language?: string;
    readonly name?: string;
    readonly title?: string;
    readonly copyright?: string;
  };
  readonly onProgress: (progress: { readonly concepts: number; readonly share: number }) => void;
  readonly signal: AbortSignal;
  /** The folder of temporary files; the operating system's by default. */
  readonly folder?: string;
}

/**
 * Reads a snapshot. Undefined when it has errors, all of which have been reported, or when it was aborted.
 * @throws Error when it cannot be opened, or has no snapshot in it
 */
export async function readSnapshot(snapshot: Snapshot): Promise<ReadFile | undefined> {
  const files = new SpillFiles(snapshot.folder);
  const release = await openRelease(snapshot.path);
  try {
    const read = await new SnapshotReader(snapshot, files, release).read();
    if (read === undefined) files.closeAll();
    return read;
  } catch (error) {
    files.closeAll();
    throw error;
  } finally {
    await release.close();
  }
}

/** Concepts come first, as everything else names them. */
const ORDER: readonly FileKind[] = [
  'concept',
  'moduleDependency',
  'description',
  'language',
  'relationship',
  'concreteValue',
  'refset',
];

/** Without them there are no names and no hierarchy. */
const REQUIRED: readonly (readonly [kind: FileKind, name: string])[] = [
  ['concept', 'sct2_Concept_Snapshot'],
  ['description', 'sct2_Description_Snapshot'],
  ['relationship', 'sct2_Relationship_Snapshot'],
];

/** The approximate share of the files in the whole time of reading. */
const FILES = 0.6;
/** After as many errors no further file is read. */
const MAX_ISSUES = 1_000;

class SnapshotReader {
  readonly #snapshot: Snapshot;
  readonly #files: SpillFiles;
  readonly #release: ReleaseFiles;
  readonly #edition = new EditionEvidence();
  readonly #components: Components;
  #issues = 0;

  constructor(snapshot: Snapshot, files: SpillFiles, release: ReleaseFiles) {
    this.#snapshot = snapshot;
    this.#files = files;
    this.#release = release;
    this.#components = new Components(files, this.#edition);
  }

  async read(): Promise<ReadFile | undefined> {
    const { path, signal, checkHead, options } = this.#snapshot;
    const kinds = this.#release.names.flatMap((name) => {
      const kind = kindOf({ name });
      return kind === undefined ? [] : [{ kind, file: { name, read: () => this.#release.read(name) } }];
    });
    const concepts = kinds.find(({ kind }) => kind === 'concept')?.file;
    const missing = REQUIRED.filter(([kind]) => !kinds.some((each) => each.kind === kind));
    if (concepts === undefined || missing.length > 0) {
      const named = missing.map(([kind, name]) => `of ${kind}s (${name}…)`);
      throw new Error(`${path}: there is no file ${listed(named, 'or')}`);
    }
    await this.#readFiles(ORDER.flatMap((kind) => kinds.filter((each) => each.kind === kind)));
    if (this.#components.concepts.size === 0 && this.#issues === 0 && !signal.aborted)
      this.#issue(concepts.name, 1, 'the release holds no concepts');
    if (signal.aborted || this.#issues > 0) return undefined;
    const head = this.#headFor(concepts, () =>
      headOf({ ...options, version: options.version ?? this.#edition.versionOf(dateOf(concepts)) }),
    );
    if (head === undefined) return undefined;
    for (const message of checkHead({ ...head, content: 'not-present' })) this.#issue(concepts.name, 1, message);
    const columns = this.#issues > 0 ? undefined : await this.#write(head, concepts.name);
    return columns === undefined ? undefined : { head, columns, close: () => this.#files.closeAll() };
  }

  #issue(file: string, line: number, message: string): void {
    this.#issues += 1;
    if (this.#issues <= MAX_ISSUES) this.#snapshot.onIssue({ file, line, message });
  }

  #headFor(file: ReleaseFile, make: () => Json): Json | undefined {
    try {
      return make();
    } catch (error) {
      this.#fault(file.name, error);
      return undefined;
    }
  }

  #fault(file: string, error: unknown): void {
    if (!(error instanceof FileUnreadable)) throw error;
    this.#issue(file, error.line, error.message);
  }

  async #readFiles(list: readonly { readonly file: ReleaseFile; readonly kind: FileKind }[]): Promise<void> {
    const { signal, onProgress } = this.#snapshot;
    const names = list.map(({ file }) => file.name);
    const reporter: Reporter = {
      signal,
      onIssue: ({ file = '', line, message }) => this.#issue(file, line, message),
      onPiece: () =>
        onProgress({ concepts: this.#components.concepts.size, share: this.#release.share(names) * FILES }),
    };
    for (const { file, kind } of list) {
      if (signal.aborted || this.#issues > MAX_ISSUES) return;
      try {
        await this.#components.read(kind, file, reporter);
      } catch (error) {
        this.#fault(file.name, error);
      }
    }
  }

  async #write(head: Json, conceptFile: string): Promise<SpilledCodeSystem | undefined> {
    const steps = this.#columns(head, conceptFile);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      // Lets an abort signal be received.
      await others();
      if (this.#snapshot.signal.aborted) return undefined;
    }
    return step.value;
  }

  *#columns(head: Json, conceptFile: string): Generator<void, SpilledCodeSystem | undefined> {
    const meta = readCodeSystemMeta(head);
    if (meta === undefined) return undefined;
    const { concepts, members } = this.#components;
    yield* this.#components.finish();
    const columns = new SpilledColumns(this.#files);
    const writer = new ConceptWriter(meta, columns);
    const relations = new RelationWriter(columns);
    const lines = columns.list();
    yield* this.#concepts({ writer, relations, onConcept: (line) => lines.push(line) });
    const refsets = new RefsetWriter(columns);
    yield* members.write(refsets);
    const { head: written, isAcyclic } = yield* writer.finish();
    if (!isAcyclic) {
      for (const circle of circlesIn(columns))
        this.#issue(
          conceptFile,
          lines.at(circle[0] ?? 0),
          circleMessage(circle, (place) => concepts.textAt(place)),
        );
      return undefined;
    }
    const relationTypes = yield* relations.finish();
    yield* spillWords(columns, writer.size);
    const whole: ColumnsHead = { ...written, relationTypes, ...refsets.finish() };
    return columns.packed(whole);
  }

  *#concepts({
    writer,
    relations,
    onConcept,
  }: {
    readonly writer: ConceptWriter;
    readonly relations: RelationWriter;
    readonly onConcept: (line: number) => void;
  }): Generator<void> {
    const { concepts, records } = this.#components;
    const { options, onProgress } = this.#snapshot;
    const { size } = concepts;
    const kinds = new DescriptionKinds(options.language ?? ENGLISH);
    for (let from = 0; from < size; from += CONCEPTS_OF_BUCKET) {
      const lines = records.take(from / CONCEPTS_OF_BUCKET);
      const range = { from, count: Math.min(CONCEPTS_OF_BUCKET, size - from) };
      let code = from;
      for (const record of recordsOf(lines, range, kinds)) {
        const place = writer.add(inputOf(concepts.textAt(code), record), -1);
        code += 1;
        for (const parent of record.parents) writer.linkParent(place, parent);
        relations.add(record.relations);
        onConcept(record.line);
      }
      onProgress({ concepts: size, share: FILES + (from / size) * (1 - FILES) });
      yield;
    }
  }
}
