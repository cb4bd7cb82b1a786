// Classifications in ClaML (ISO 13120:2013, and 2.0.0 of ICD and ICF). A Class is a concept, its rubrics are names and
// properties. Modifiers make further codes of it.
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { Json } from '../../json.ts';
import { type Assembly, FileUnreadable } from '../assembly.ts';
import type { ReleaseReading } from './reading.ts';

const IS_XML = /\.xml(?:\.gz)?$/i;
/** A text with more is not that of a label. */
const MAX_LABEL = 1024 * 1024;
/** Codes that modifiers may make of one class. */
const MAX_MODIFIED = 2_000;

const PARSING = { position: true, xmlns: false } as const;

/** Rubrics that are no property. */
const PREFERRED = 'preferred';
const DEFINITION = 'definition';

interface Label {
  readonly kind: string;
  readonly language: string | undefined;
  text: string;
}

interface ModifiedBy {
  readonly modifier: string;
  /** The codes that are valid; empty for all. */
  readonly valid: Set<string>;
}

/** A Class or a ModifierClass. */
interface Item {
  readonly code: string;
  /** Of a ModifierClass. */
  readonly modifier: string | undefined;
  readonly line: number;
  readonly kind: string | undefined;
  readonly usage: string | undefined;
  readonly parents: string[];
  readonly modifiedBy: ModifiedBy[];
  readonly labels: Label[];
  hasChildren: boolean;
}

interface ModifierClass {
  readonly code: string;
  readonly display: string;
}

/** @throws FileUnreadable, ReadingStopped */
export async function readClaml(reading: ReleaseReading): Promise<Assembly> {
  const [name, ...more] = reading.names.filter((each) => IS_XML.test(each));
  if (name === undefined) throw new FileUnreadable(1, 'there is no ClaML file: a file .xml');
  if (more.length > 0) throw new FileUnreadable(1, `there are several ClaML files: ${[name, ...more].join(', ')}`);
  reading.use([name]);
  const file = new ClamlFile(reading, name);
  let decoder: TextDecoder | undefined;
  for await (const bytes of reading.bytes(name)) {
    decoder ??= decoderOf(bytes);
    file.push(decoded(decoder, bytes, file.line));
  }
  return file.end();
}

/** A decoder for the encoding that the XML declaration names. */
function decoderOf(first: Buffer): TextDecoder {
  const named = /^<\?xml[^>]*?encoding=["']([\w.-]+)["']/.exec(first.toString('latin1', 0, 200))?.[1];
  try {
    return new TextDecoder(named ?? 'utf-8', { fatal: true });
  } catch {
    throw new FileUnreadable(1, `the encoding ${named} is not known`);
  }
}

function decoded(decoder: TextDecoder, bytes: Buffer, line: number): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch {
    throw new FileUnreadable(line, `the text is not in ${decoder.encoding}`);
  }
}

class ClamlFile {
  readonly #reading: ReleaseReading;
  readonly #name: string;
  readonly #parser = new SaxesParser<typeof PARSING>(PARSING);
  readonly #title: { version?: string; date?: string; name?: string; text: string } = { text: '' };
  readonly #rubricKinds: string[] = [];
  /** By modifier, in their order. */
  readonly #modifiers = new Map<string, ModifierClass[]>();
  #assembly: Assembly | undefined;
  #item: Item | undefined;
  #rubric: string | undefined;
  #label: Label | undefined;
  #isInTitle = false;
  #language: string | undefined;
  #isClaml = false;

  constructor(reading: ReleaseReading, name: string) {
    this.#reading = reading;
    this.#name = name;
    this.#parser.on('opentag', (tag) => this.#open(tag));
    this.#parser.on('closetag', ({ name: tag }) => this.#close(tag));
    this.#parser.on('text', (text) => this.#add(text));
    this.#parser.on('cdata', (text) => this.#add(text));
    this.#parser.on('error', (error) => {
      throw new FileUnreadable(this.line, `the file is no well-formed XML: ${error.message.replace(/^[\d:]+\s*/, '')}`);
    });
  }

  /** Of what is being read, among the lines of all files. */
  get line(): number {
    return this.#reading.lineIn(this.#name, this.#parser.line);
  }

  push(text: string): void {
    this.#parser.write(text);
  }

  /** @throws FileUnreadable for a file without classes */
  end(): Assembly {
    this.#parser.close();
    return this.#assembly ?? this.#begin();
  }

  #open({ name, attributes }: SaxesTagPlain): void {
    if (!this.#isClaml && name !== 'ClaML') throw new FileUnreadable(this.line, `the file is no ClaML, but ${name}`);
    this.#isClaml = true;
    switch (name) {
      case 'Title':
        this.#isInTitle = true;
        Object.assign(this.#title, attributes);
        return;
      case 'Meta':
        if (attributes['name'] === 'lang' && this.#item === undefined) this.#language ??= attributes['value'];
        return;
      case 'RubricKind':
        if (attributes['name'] !== undefined) this.#rubricKinds.push(attributes['name']);
        return;
      case 'Class':
      case 'ModifierClass':
        this.#item = this.#itemOf(attributes);
        return;
      case 'Rubric':
        this.#rubric = attributes['kind'];
        return;
      case 'Label':
        this.#openLabel(attributes);
        return;
      default:
        if (this.#item !== undefined) this.#openPart(this.#item, name, attributes);
    }
  }

  #itemOf({ code, modifier, kind, usage }: Readonly<Record<string, string>>): Item {
    const lists = { parents: [], modifiedBy: [], labels: [] };
    return { code: code ?? '', modifier, kind, usage, line: this.line, ...lists, hasChildren: false };
  }

  #openPart(item: Item, name: string, { code }: Readonly<Record<string, string>>): void {
    // Elements within a label part words, as paragraphs do.
    if (this.#label !== undefined) this.#label.text += ' ';
    if (code === undefined) return;
    if (name === 'SuperClass') item.parents.push(code);
    else if (name === 'SubClass') item.hasChildren = true;
    else if (name === 'ModifiedBy') item.modifiedBy.push({ modifier: code, valid: new Set() });
    else if (name === 'ValidModifierClass') item.modifiedBy.at(-1)?.valid.add(code);
  }

  #openLabel(attributes: Readonly<Record<string, string>>): void {
    if (this.#item === undefined || this.#rubric === undefined) return;
    const language = attributes['xml:lang'];
    this.#language ??= language;
    this.#label = { kind: this.#rubric, language, text: '' };
    this.#item.labels.push(this.#label);
  }

  #add(text: string): void {
    if (this.#isInTitle) this.#title.text += text;
    if (this.#label === undefined) return;
    this.#label.text += text;
    if (this.#label.text.length > MAX_LABEL) throw new FileUnreadable(this.line, 'a label is longer than 1 MiB');
  }

  #close(name: string): void {
    if (this.#label !== undefined && name !== 'Label') this.#label.text += ' ';
    switch (name) {
      case 'Title':
        this.#isInTitle = false;
        return;
      case 'Label':
        if (this.#label !== undefined) this.#label.text = this.#label.text.replaceAll(/\s+/g, ' ').trim();
        this.#label = undefined;
        return;
      case 'Rubric':
        this.#rubric = undefined;
        return;
      case 'Class':
        if (this.#item !== undefined) this.#addClass(this.#item);
        this.#item = undefined;
        return;
      case 'ModifierClass':
        if (this.#item !== undefined) this.#addModifierClass(this.#item);
        this.#item = undefined;
    }
  }

  #addModifierClass({ code, modifier = '', labels }: Item): void {
    const display = this.#displayOf(labels) ?? code;
    const classes = this.#modifiers.get(modifier) ?? [];
    this.#modifiers.set(modifier, [...classes, { code, display }]);
  }

  #addClass(item: Item): void {
    const assembly = this.#assembly ?? this.#begin();
    assembly.addConcept(this.#conceptOf(item), item.line, { parents: item.parents });
    if (!item.hasChildren && item.modifiedBy.length > 0) this.#addModified(assembly, item);
  }

  /** The codes that modifiers make of a class: its own with the modifier's, each below the one before. */
  #addModified(assembly: Assembly, item: Item): void {
    let bases = [{ code: item.code, display: this.#displayOf(item.labels) ?? item.code }];
    let count = 0;
    for (const { modifier, valid } of item.modifiedBy) {
      const classes = this.#modifiers.get(modifier);
      if (classes === undefined) {
        assembly.issue(item.line, `there is no modifier ${modifier}, which ${item.code} is modified by`);
        return;
      }
      const fitting = classes.filter(({ code }) => valid.size === 0 || valid.has(code));
      const made = bases.flatMap((base) =>
        fitting.map(({ code, display }) => ({
          code: `${base.code}${code}`,
          display: `${base.display}, ${display}`,
          parent: base.code,
        })),
      );
      count += made.length;
      if (count > MAX_MODIFIED) {
        assembly.issue(item.line, `modifiers make more than ${MAX_MODIFIED} codes of ${item.code}`);
        return;
      }
      for (const { parent, ...concept } of made) {
        const property = [{ code: 'modified', valueBoolean: true }];
        if (assembly.find(concept.code) === -1)
          assembly.addConcept({ ...concept, property }, item.line, { parents: [parent] });
      }
      bases = made;
    }
  }

  #displayOf(labels: readonly Label[]): string | undefined {
    const preferred = labels.filter(({ kind }) => kind === PREFERRED);
    return (preferred.find(({ language }) => language === this.#mainLanguage) ?? preferred[0])?.text;
  }

  get #mainLanguage(): string | undefined {
    return this.#reading.options.language ?? this.#language;
  }

  #conceptOf({ code, kind, usage, labels }: Item): Json {
    const display = this.#displayOf(labels);
    const texts = labels.filter(({ text }) => text !== '');
    const definition = texts.filter(({ kind: of }) => of === DEFINITION).map(({ text }) => text);
    const others = texts.filter(({ kind: of, text }) => of === PREFERRED && text !== display);
    const rubrics = texts.filter(({ kind: of }) => of !== PREFERRED && of !== DEFINITION);
    return {
      code,
      ...(display === undefined || display === '' ? {} : { display }),
      ...(definition.length === 0 ? {} : { definition: definition.join('\n') }),
      designation: others.map(({ language, text }) => ({
        ...(language === undefined ? {} : { language }),
        value: text,
      })),
      property: [
        ...(kind === undefined ? [] : [{ code: 'kind', valueCode: kind }]),
        ...(usage === undefined ? [] : [{ code: 'usage', valueCode: usage }]),
        ...rubrics.map(({ kind: of, text }) => ({ code: of, valueString: text })),
      ],
    };
  }

  #begin(): Assembly {
    const { version, date, name } = this.#title;
    const title = this.#title.text.replaceAll(/\s+/g, ' ').trim() || name;
    const rubrics = [...new Set(this.#rubricKinds)].filter((kind) => kind !== PREFERRED && kind !== DEFINITION);
    const said = {
      ...(version === undefined ? {} : { version }),
      ...(title === undefined ? {} : { title }),
      ...(date !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(date) ? { date } : {}),
      ...(this.#language === undefined ? {} : { language: this.#language }),
      caseSensitive: true,
      property: [
        { code: 'kind', description: 'The kind of the class: chapter, block, category', type: 'code' },
        { code: 'usage', description: 'How the code is used: dagger, aster', type: 'code' },
        { code: 'modified', description: 'A code that a modifier makes of another one', type: 'boolean' },
        ...rubrics.map((code) => ({ code, type: 'string' })),
      ],
    };
    this.#assembly = this.#reading.begin(said, this.line);
    return this.#assembly;
  }
}
