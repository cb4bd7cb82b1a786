// The response of $lookup as JSON text: the details of a concept, written from the bytes of the code system's texts.
import { type JsonPiece, JsonWriter, jsonPiece } from '#lib/json/json-writer.ts';
import { joinCanonical } from '../../catalog/catalog.ts';
import { addedProperties, designationsOf, type SystemView } from '../../content/system-view.ts';
import type { Json } from '../../json.ts';
import type { CodeSystemMeta, CodeSystemModel, Designation, Property } from '../../model/code-system-model.ts';
import type { DesignationKind } from '../../model/designations.ts';
import { isInLanguage, type Languages, nameIn } from '../languages.ts';
import { parameter, partsOf, propertyParameter } from '../parameters.ts';

export interface ConceptOptions {
  readonly languages: Languages;
  /** The requested properties; empty for all. */
  readonly properties: ReadonlySet<string>;
}

/** Whether a property, or a part of the response with a property name, is requested. */
function isRequested({ properties }: ConceptOptions, name: string): boolean {
  return properties.size === 0 || properties.has(name) || properties.has('*');
}

const writer = new JsonWriter();

const BEGIN = jsonPiece('{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":');
const DISPLAY = jsonPiece(',{"name":"display","valueString":');
const DEFINITION = jsonPiece(',{"name":"definition","valueString":');
const ABSTRACT = jsonPiece(',{"name":"abstract","valueBoolean":true}');
const END_OF_OBJECT = jsonPiece('}');
const END_OF_PART = jsonPiece('}]}');
const END = jsonPiece(']}');

/** A Parameters resource in UTF-8, valid until the next call. */
export function conceptJson(view: SystemView, place: number, options: ConceptOptions): Buffer {
  const { model, supplements } = view;
  const shared = sharedOf(model.meta);
  writer.begin();
  writer.piece(BEGIN);
  model.texts.code.write(place, writer);
  writer.piece(shared.head);
  const shown = writeShownName(view, place, options);
  if (isRequested(options, 'definition') && model.texts.definition.has(place)) {
    writer.piece(DEFINITION);
    model.texts.definition.write(place, writer);
    writer.piece(END_OF_OBJECT);
  }
  if (model.isAbstract(place)) writer.piece(ABSTRACT);
  if (isRequested(options, 'designation')) writeDesignations(view, place, { languages: options.languages, shown });
  writeProperties(view, place, { options, shared });
  for (const each of supplements) writeMember(parameter('used-supplement', 'Canonical', joinCanonical(each.meta)));
  writer.piece(END);
  return writer.written();
}

/** Writes the name to show; returns it where it is not simply the display. */
function writeShownName({ model, supplements }: SystemView, place: number, { languages }: ConceptOptions) {
  writer.piece(DISPLAY);
  let shown: string | undefined;
  if (languages.tags.length > 0) {
    const designations = designationsOf({ model, supplements }, place);
    shown = nameIn(languages, { display: model.display(place), language: model.meta.language, designations });
    writer.string(shown ?? model.code(place));
  } else if (model.texts.display.has(place)) model.texts.display.write(place, writer);
  else model.texts.code.write(place, writer);
  writer.piece(END_OF_OBJECT);
  return shown;
}

/** A further member of a list. */
function writeMember(member: Json | undefined): void {
  if (member !== undefined) writer.text(memberText(member));
}

const memberText = (member: Json | undefined): string => (member === undefined ? '' : `,${JSON.stringify(member)}`);

/** What the responses of all codes of a code system have in common. */
interface SharedPieces {
  /** The end of the code; its system's URL, name and version. */
  readonly head: JsonPiece;
  /** By the code of the property. */
  readonly properties: Map<string, PropertyPieces>;
  /** What the code system says of its properties, by their codes. */
  readonly descriptions: ReadonlyMap<string, string>;
}

/** What all values of a property have in common. */
interface PropertyPieces {
  /** Up to the value, which is a code; a text. */
  readonly ofCode: JsonPiece;
  readonly ofString: JsonPiece;
  /** Up to the parameter with the value. */
  readonly ofOther: JsonPiece;
  /** After the value, and after the parameter with the value. */
  readonly end: JsonPiece;
  readonly endOfOther: JsonPiece;
}

const sharedByMeta = new WeakMap<CodeSystemMeta, SharedPieces>();

function sharedOf(meta: CodeSystemMeta): SharedPieces {
  const known = sharedByMeta.get(meta);
  if (known !== undefined) return known;
  const head =
    memberText(parameter('system', 'Uri', meta.url)) +
    memberText(parameter('name', 'String', meta.name ?? meta.title ?? meta.url)) +
    memberText(parameter('version', 'String', meta.version));
  const descriptions = new Map(
    meta.properties.map(({ code, description }) => [code, memberText(parameter('description', 'String', description))]),
  );
  const shared: SharedPieces = { head: jsonPiece(`}${head}`), properties: new Map(), descriptions };
  sharedByMeta.set(meta, shared);
  return shared;
}

/** The codes are those of a code system and its supplements, so there are few. */
function piecesOf({ properties, descriptions }: SharedPieces, code: string): PropertyPieces {
  const known = properties.get(code);
  if (known !== undefined) return known;
  const begin = `${PROPERTY}${JSON.stringify(code)}}`;
  const end = `${descriptions.get(code) ?? ''}]}`;
  const pieces: PropertyPieces = {
    ofCode: jsonPiece(`${begin},{"name":"value","valueCode":`),
    ofString: jsonPiece(`${begin},{"name":"value","valueString":`),
    ofOther: jsonPiece(begin),
    end: jsonPiece(`}${end}`),
    endOfOther: jsonPiece(end),
  };
  properties.set(code, pieces);
  return pieces;
}

interface NameOptions {
  readonly languages: Languages;
  /** The name that is shown where it is not simply the display. */
  readonly shown: string | undefined;
}

/** All designations, or those in the requested languages; the display too, in the language of the code system. */
function writeDesignations({ model, supplements }: SystemView, place: number, { languages, shown }: NameOptions): void {
  const { tags } = languages;
  const isWanted = (of: string | undefined): boolean =>
    tags.length === 0 || of === undefined || tags.some((tag) => isInLanguage(of, tag));
  const { language } = model.meta;
  const isNamed = language !== undefined || (tags.length > 0 && model.display(place) !== shown);
  if (isNamed && isWanted(language) && model.texts.display.has(place)) {
    writer.piece(beginOf(ofDisplay(model)));
    model.texts.display.write(place, writer);
    writer.piece(END_OF_PART);
  }
  if (supplements.length === 0) {
    model.eachName(place, (kind, at) => {
      if (!isWanted(kind.language)) return;
      writer.piece(beginOf(kind));
      model.writeText(at, writer);
      writer.piece(END_OF_PART);
    });
    return;
  }
  for (const each of designationsOf({ model, supplements }, place)) if (isWanted(each.language)) writeNamed(each);
}

function writeNamed(designation: Designation): void {
  writer.text(beginText(designation));
  writer.string(designation.value);
  const { source } = designation;
  if (source !== undefined) writer.text(`},{"name":"source","valueCanonical":${JSON.stringify(source)}`);
  writer.piece(END_OF_PART);
}

const displayKinds = new WeakMap<CodeSystemModel, DesignationKind>();

/** The kind of the display itself: in the language of the code system, without a use. */
function ofDisplay(model: CodeSystemModel): DesignationKind {
  const known = displayKinds.get(model);
  if (known !== undefined) return known;
  const kind = { language: model.meta.language, use: undefined };
  displayKinds.set(model, kind);
  return kind;
}

/** A code system has few kinds, each of which is one object. */
const begins = new WeakMap<DesignationKind, JsonPiece>();

function beginOf(kind: DesignationKind): JsonPiece {
  const known = begins.get(kind);
  if (known !== undefined) return known;
  const begin = jsonPiece(beginText(kind));
  begins.set(kind, begin);
  return begin;
}

function beginText({ language, use }: DesignationKind): string {
  const ofLanguage = language === undefined ? '' : `{"name":"language","valueCode":${JSON.stringify(language)}},`;
  const ofUse = use === undefined ? '' : `{"name":"use","valueCoding":${JSON.stringify(use)}},`;
  return `,{"name":"designation","part":[${ofLanguage}${ofUse}{"name":"value","valueString":`;
}

const PROPERTY = ',{"name":"property","part":[{"name":"code","valueCode":';
const INACTIVE = [false, true].map((is) => jsonPiece(`${PROPERTY}"inactive"},{"name":"value","valueBoolean":${is}}]}`));
const PARENT = jsonPiece(`${PROPERTY}"parent"},{"name":"value","valueCode":`);
const CHILD = jsonPiece(`${PROPERTY}"child"},{"name":"value","valueCode":`);
const DESCRIPTION = jsonPiece('},{"name":"description","valueString":');

interface PropertyOptions {
  readonly options: ConceptOptions;
  readonly shared: SharedPieces;
}

function writeProperties(view: SystemView, place: number, { options, shared }: PropertyOptions): void {
  const { model } = view;
  const added = view.supplements.length === 0 ? NONE : addedProperties(view, place);
  const isShown = (name: string): boolean =>
    isRequested(options, name) && !model.hasOwn(place, name) && !added.some(({ code }) => code === name);
  if (isShown('inactive')) writer.piece(INACTIVE[model.isInactive(place) ? 1 : 0] ?? END);
  if (isShown('parent')) model.hierarchy.eachParent(place, (other) => writeRelative(model, other, PARENT));
  if (isShown('child')) model.hierarchy.eachChild(place, (other) => writeRelative(model, other, CHILD));
  model.eachProperty(place, (code, kind, at) => {
    if (!isRequested(options, code)) return;
    const pieces = piecesOf(shared, code);
    if (kind === 'code' || kind === 'string') {
      writer.piece(kind === 'code' ? pieces.ofCode : pieces.ofString);
      model.writeText(at, writer);
      writer.piece(pieces.end);
    } else writeProperty({ code, kind, value: model.text(at) }, pieces);
  });
  for (const each of added) if (isRequested(options, each.code)) writeProperty(each, piecesOf(shared, each.code));
  for (const each of attributeParts(model, place, options)) writeMember(each);
}

function writeProperty(property: Property, { ofOther, endOfOther }: PropertyPieces): void {
  writer.piece(ofOther);
  writeMember(propertyParameter('value', property));
  writer.piece(endOfOther);
}

function writeRelative(model: CodeSystemModel, other: number, begin: JsonPiece): void {
  writer.piece(begin);
  model.texts.code.write(other, writer);
  if (model.texts.display.has(other)) {
    writer.piece(DESCRIPTION);
    model.texts.display.write(other, writer);
  }
  writer.piece(END_OF_PART);
}

const NONE: readonly never[] = [];

/** The concept of SNOMED CT that stands for a group of attributes. */
const ROLE_GROUP = '609096000';

/** The attributes of SNOMED CT: single ones are properties, those of a group are parts of one. */
function attributeParts(model: CodeSystemModel, place: number, options: ConceptOptions): readonly Json[] {
  if (model.relations.isEmpty) return NONE;
  const named = (property: Property): (Json | undefined)[] => [
    parameter('code', 'Code', property.code),
    propertyParameter('value', property),
    property.kind === 'code'
      ? parameter('description', 'String', model.display(model.find(property.value)))
      : undefined,
  ];
  return [...model.attributes(place)].flatMap(([group, list]) => {
    const isWhole = group !== 0 && isRequested(options, ROLE_GROUP);
    const shown = isWhole ? list : list.filter(({ code }) => isRequested(options, code));
    if (group === 0) return shown.map((each) => partsOf('property', ...named(each)));
    const parts = shown.map((each) => partsOf('subproperty', ...named(each)));
    return parts.length === 0 ? [] : [partsOf('property', parameter('code', 'Code', ROLE_GROUP), ...parts)];
  });
}
