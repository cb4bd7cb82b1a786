// Builds a code system's columns in memory, from its concepts one after the other as they are read.
import type { CodeSystemMeta, Columns } from './code-system-model.ts';
import { MemoryColumns } from './column-store.ts';
import { type ConceptInput, ConceptWriter } from './concept-writer.ts';
import { collectWords } from './word-columns.ts';

export class CodeSystemBuilder {
  readonly #store = new MemoryColumns();
  readonly #writer: ConceptWriter;

  constructor(meta: CodeSystemMeta) {
    this.#writer = new ConceptWriter(meta, this.#store);
  }

  /** As the writer's. */
  add(concept: ConceptInput, parent: number): number {
    return this.#writer.add(concept, parent);
  }

  /**
   * The columns, after which the builder is empty; `withWords`: with the words by which concepts are found, which
   * otherwise are gathered when they are first asked for.
   */
  finish(withWords = false): Columns {
    const { head } = allOf(this.#writer.finish());
    const columns = { ...this.#store.finish(), head };
    return withWords ? { ...columns, ...collectWords(columns) } : columns;
  }
}

/** What comes of it in the end, without a pause. */
export function allOf<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
