// FHIRPath functions of invariants that read beyond the resource. They are `resolve()` among contained resources and
// entries of the same bundle, and `memberOf()` of known value sets (hl7.org/fhir/R5/fhirpath.html#functions). An
// unknown result throws Undecided.
import { isJsonObject, type JsonObject, type SliceQuestion, type ValidationContext } from './context.ts';
import { hasCoding, hasConcept, knownCodes } from './known-codes.ts';
import { resolveText, typeOfTarget } from './targets.ts';

/** Thrown for a result that is not known here; the message gives the reason. */
export class Undecided extends Error {}

export interface FhirPathLookups {
  /**
   * The target of a Reference or of its text; undefined for one without a target. With `ofType` an unavailable resource
   * is represented by its type alone. @throws Undecided
   */
  readonly resolve: (reference: unknown, ofType: boolean) => JsonObject | undefined;
  /** Whether a value of a FHIR type is in a value set. @throws Undecided */
  readonly isMember: (type: string, value: unknown, valueSet: string) => boolean;
  /** Whether a value is in a slice of a profile. @throws Undecided */
  readonly isInSlice: (question: SliceQuestion) => boolean;
}

export function lookupsOf(context: ValidationContext): FhirPathLookups {
  return {
    isInSlice: (question) => {
      const found = context.isInSlice(context, question);
      if (typeof found === 'string') throw new Undecided(found);
      return found;
    },
    resolve: (reference, ofType) => resolve(context, reference, ofType),
    isMember: (type, value, valueSet) => {
      const known = knownCodes(context, valueSet);
      if (known === undefined) {
        const reason = context.valueSets.find(valueSet);
        throw new Undecided(typeof reason === 'string' ? reason : `the codes of ${valueSet} are not known here`);
      }
      if (typeof value === 'string') return known.hasCode(value);
      return type === 'CodeableConcept' ? hasConcept(known, value) : hasCoding(known, value);
    },
  };
}

function resolve(context: ValidationContext, reference: unknown, ofType: boolean): JsonObject | undefined {
  const text = isJsonObject(reference) ? reference['reference'] : reference;
  if (typeof text !== 'string') return undefined;
  const found = resolveText(context, text);
  if (found !== undefined) return found;
  const type = ofType
    ? typeOfTarget(context, text, isJsonObject(reference) ? reference['type'] : undefined)
    : undefined;
  if (type !== undefined && context.definitions.isResourceType(type)) return typeOnly(type);
  throw new Undecided('it follows a reference to what is neither contained nor in the bundle');
}

/** A resource of which only the type can be read. */
function typeOnly(resourceType: string): JsonObject {
  return new Proxy<JsonObject>(
    { resourceType },
    {
      get: (target, name) => {
        if (typeof name === 'symbol' || name.startsWith('_') || name === 'resourceType')
          return Reflect.get(target, name);
        throw new Undecided('it looks into a resource that is neither contained nor in the bundle');
      },
    },
  );
}
