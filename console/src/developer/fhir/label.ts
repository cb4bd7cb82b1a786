// What a resource is, in the few words that it has itself.
import type { CodeableConcept, FhirResource, HumanName, Quantity } from 'fhir/r5';

/** Its name, title or code with its value; empty where it has none. */
export function labelOf(resource: FhirResource): string {
  const any = resource as unknown as Readonly<Record<string, unknown>>;
  const words = [
    nameOf(any['name']),
    textOf(any['title']),
    codeOf(any['code']),
    codeOf(any['type']),
    textOf(any['description']),
  ];
  const first = words.find((each) => each !== '') ?? '';
  return [first, quantityOf(any['valueQuantity']), textOf(any['status'])].filter((each) => each !== '').join(' · ');
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name] = Array.isArray(value) ? (value as HumanName[]) : [];
  return name?.text ?? [...(name?.given ?? []), name?.family ?? ''].join(' ').trim();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function codeOf(value: unknown): string {
  const concept = (Array.isArray(value) ? value[0] : value) as CodeableConcept | string | undefined | null;
  if (typeof concept === 'string') return concept;
  const [coding] = concept?.coding ?? [];
  return concept?.text ?? coding?.display ?? coding?.code ?? '';
}

function quantityOf(value: unknown): string {
  const { value: amount, unit, code } = (value ?? {}) as Quantity;
  return amount === undefined ? '' : `${amount} ${unit ?? code ?? ''}`.trim();
}
