// Reads a CodeSystem as lines of JSON. First comes the resource without its concepts, then a concept on each line. It
// names its parents by `parent` (a code, or a list of codes) or contains nested concepts.
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { type Json, objects, texts } from '../json.ts';
import { Assembly, type AssemblyOptions, FileUnreadable, NOWHERE } from './assembly.ts';
import { Lines } from './lines.ts';

const FURTHER = ['parent'];

export class NdjsonFile {
  readonly #options: AssemblyOptions;
  readonly #lines = new Lines((text, line) => this.#read(text, line));
  #assembly: Assembly | undefined;

  constructor(options: AssemblyOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#assembly?.size ?? 0;
  }

  /** @throws FileUnreadable */
  push(bytes: Buffer): void {
    this.#lines.push(bytes);
  }

  /** @throws FileUnreadable for a file without a first line */
  end(): Assembly {
    this.#lines.end();
    if (this.#assembly === undefined)
      throw new FileUnreadable(1, 'the first line must be the CodeSystem without its concepts');
    return this.#assembly;
  }

  #read(text: string, line: number): void {
    if (text.trim() === '') return;
    const found = parsed(text, this.#assembly === undefined ? parseExactJson : JSON.parse);
    if (this.#assembly === undefined) {
      if (found === undefined)
        throw new FileUnreadable(line, 'the first line must be the CodeSystem without its concepts');
      if (found['concept'] !== undefined)
        throw new FileUnreadable(
          line,
          'the concepts must stand on lines of their own; a whole CodeSystem is named .json',
        );
      this.#assembly = new Assembly(found, line, this.#options);
    } else if (found === undefined) this.#assembly.issue(line, 'the line is no JSON object');
    else this.#add(this.#assembly, found, line);
  }

  /** Adds the concept and its nested ones, without recursion, as JSON may nest them to any depth. */
  #add(assembly: Assembly, concept: Json, line: number): void {
    const open = [{ concept, parent: NOWHERE }];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const given = at.concept['parent'];
      const parents = typeof given === 'string' ? [given] : texts(given);
      const isRight =
        given === undefined || typeof given === 'string' || (Array.isArray(given) && parents.length === given.length);
      if (!isRight) assembly.issue(line, 'parent must be a code, or a list of codes');
      const place = assembly.addConcept(at.concept, line, { parent: at.parent, parents, more: FURTHER });
      for (const below of objects(at.concept['concept']).reverse()) open.push({ concept: below, parent: place });
    }
  }
}

/** The members of the code system keep the digits of decimals. */
function parsed(text: string, parse: (text: string) => unknown): Json | undefined {
  try {
    const value = parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text);
    return Array.isArray(value) ? undefined : objects(value)[0];
  } catch {
    return undefined;
  }
}
