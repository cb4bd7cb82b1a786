// Builds a code system's columns in memory, from its concepts one at a time.
import type { CodeSystemMeta, Columns } from './code-system-model.ts';
import { MemoryColumns } from './columns/column-store.ts';
import { type ConceptInput, ConceptWriter } from './concept-writer.ts';
import { allOf } from './steps.ts';
import { collectWords } from './word-columns.ts';

export class CodeSystemBuilder {
  readonly #store = new MemoryColumns();
  readonly #writer: ConceptWriter;

  constructor(meta: CodeSystemMeta) {
    this.#writer = new ConceptWriter(meta, this.#store);
  }

  /** As `ConceptWriter.add`. */
  add(concept: ConceptInput, parent: number): number {
    return this.#writer.add(concept, parent);
  }

  /**
   * Returns the columns and empties the builder. `withWords`: also collects the words of names, which is otherwise done
   * on first use.
   */
  finish(withWords = false): Columns {
    const { head } = allOf(this.#writer.finish());
    const columns = { ...this.#store.finish(), head };
    return withWords ? { ...columns, ...collectWords(columns) } : columns;
  }
}
