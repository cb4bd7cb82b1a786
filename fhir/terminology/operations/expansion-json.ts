// An expansion as JSON text, where its codes are shown with their names alone: the same as of ./expansion-contains.ts.
// Most of the time of such an expansion would go into objects and texts.
import { type JsonPiece, JsonWriter, jsonPiece } from '#lib/json/json-writer.ts';
import { type Content, type KnownPart, placesOf } from '../content/content.ts';
import type { Json } from '../json.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { type ContainsOptions, eachRange, isShownNested } from './expansion-contains.ts';
import { isWithoutProperties } from './expansion-properties.ts';

export interface Expansion {
  /** Of the value set. */
  readonly members: Json;
  /** The members of `expansion` before `property` and `contains`. */
  readonly head: Json;
  readonly content: Content;
  readonly options: ContainsOptions;
}

const writer = new JsonWriter();

const EXPANSION = jsonPiece(',"expansion":');
const CONTAINS = jsonPiece(',"contains":[');
const COMMA = jsonPiece(',');
const ABSTRACT = jsonPiece(',"abstract":true');
const INACTIVE = jsonPiece(',"inactive":true');
const CODE = jsonPiece(',"code":');
const DISPLAY = jsonPiece(',"display":');
const END_OF_ITEM = jsonPiece('}');
const END_OF_LIST = jsonPiece(']');
const END = jsonPiece('}}');

/** Whether {@link expansionJson} can write it. */
export function isPlainContent(content: Content, options: ContainsOptions): content is readonly KnownPart[] {
  const { languages, hasDesignations, properties, versioned } = options;
  if (languages.tags.length > 0 || hasDesignations || versioned.size > 0) return false;
  return content.every(
    (part) => part.kind === 'known' && isWithoutProperties(part, properties) && !isShownNested(part, options),
  );
}

/** A ValueSet in UTF-8, valid until the next call. Its content must be plain. */
export function expansionJson({ members, head, content, options }: Expansion): Buffer {
  writer.begin();
  writer.openText(textOf(members));
  writer.piece(EXPANSION);
  writer.openText(JSON.stringify(head));
  let count = 0;
  eachRange(content, options, (part, skip, left) => {
    if (part.kind !== 'known') return;
    const { model } = part.view;
    const begin = beginOf(model);
    for (const place of placesOf(part, skip, left)) {
      writer.piece(count === 0 ? CONTAINS : COMMA);
      writeItem(model, place, begin);
      count += 1;
    }
  });
  if (count > 0) writer.piece(END_OF_LIST);
  writer.piece(END);
  return writer.written();
}

function writeItem(model: CodeSystemModel, place: number, begin: JsonPiece): void {
  writer.piece(begin);
  if (model.isAbstract(place)) writer.piece(ABSTRACT);
  if (model.isInactive(place)) writer.piece(INACTIVE);
  writer.piece(CODE);
  model.texts.code.write(place, writer);
  if (model.texts.display.has(place)) {
    writer.piece(DISPLAY);
    model.texts.display.write(place, writer);
  }
  writer.piece(END_OF_ITEM);
}

const begins = new WeakMap<CodeSystemModel, JsonPiece>();

/** The beginning of a code of the system. */
function beginOf(model: CodeSystemModel): JsonPiece {
  const known = begins.get(model);
  if (known !== undefined) return known;
  const begin = jsonPiece(`{"system":${JSON.stringify(model.meta.url)}`);
  begins.set(model, begin);
  return begin;
}

const texts = new WeakMap<Json, string>();

/** The members of a value set are one object for all its expansions. */
function textOf(members: Json): string {
  const known = texts.get(members) ?? JSON.stringify(members);
  texts.set(members, known);
  return known;
}
