// Extensions of a form's elements, by their short names, and its texts in another language.
import type { Extension } from 'fhir/r5';

const CORE = 'http://hl7.org/fhir/StructureDefinition/';

/** A value in the element of its type, such as `{ valueDecimal: 1.5 }`. */
export type ExtensionValue = Omit<Extension, 'url' | 'id' | '_url'>;

interface Extensible {
  readonly extension?: Extension[] | undefined;
}

/** The extensions with that short name, such as `minValue`, or of another publisher with that address. */
export function extensionsOf({ extension = [] }: Extensible, name: string): Extension[] {
  return extension.filter(({ url }) => url === addressOf(name));
}

function addressOf(name: string): string {
  return name.startsWith('http:') ? name : CORE + name;
}

const CONTROL = 'questionnaire-itemControl';

/** The code of an item's control; undefined for the usual one. */
export function controlOf(item: Extensible): string | undefined {
  return extensionsOf(item, CONTROL)[0]?.valueCodeableConcept?.coding?.[0]?.code;
}

/** Whether an item is the help of the one around it. */
export function isHelp(item: Extensible & { readonly type: string }): boolean {
  return item.type === 'display' && controlOf(item) === 'help';
}

/** The value of an extension, whatever its type; undefined for one without. */
export function valueIn(extension: Extension | undefined): unknown {
  return Object.entries(extension ?? {}).find(([name]) => name.startsWith('value'))?.[1];
}

/** The element with these values for that extension, and no others. */
export function withExtension<Element extends Extensible>(
  { extension, ...element }: Element,
  name: string,
  values: readonly ExtensionValue[],
): Element {
  const others = (extension ?? []).filter(({ url }) => url !== addressOf(name));
  const next = [...others, ...values.map((value) => ({ url: addressOf(name), ...value }))];
  return { ...element, ...(next.length === 0 ? {} : { extension: next }) } as Element;
}

/** The text in another language, of the sibling of the element (`_text`). */
export function translationOf(sibling: Extensible | undefined, language: string): string | undefined {
  return extensionsOf(sibling ?? {}, 'translation')
    .filter((each) => partOf(each, 'lang')?.valueCode === language)
    .map((each) => partOf(each, 'content')?.valueString)
    .find((text) => text !== undefined);
}

/** The sibling with the text in that language; undefined when nothing is left in it. */
export function withTranslation<Sibling extends Extensible>(
  sibling: Sibling | undefined,
  language: string,
  text: string,
): Extensible | undefined {
  const others = extensionsOf(sibling ?? {}, 'translation').filter(
    (each) => partOf(each, 'lang')?.valueCode !== language,
  );
  const own = {
    extension: [
      { url: 'lang', valueCode: language },
      { url: 'content', valueString: text },
    ],
  };
  const next = withExtension<Extensible>(sibling ?? {}, 'translation', text === '' ? others : [...others, own]);
  return Object.keys(next).length === 0 ? undefined : next;
}

function partOf({ extension = [] }: Extension, url: string): Extension | undefined {
  return extension.find((part) => part.url === url);
}
