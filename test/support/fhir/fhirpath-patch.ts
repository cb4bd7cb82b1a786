// Bodies of FHIRPath Patch (hl7.org/fhir/R5/fhirpatch.html).

interface Operation {
  readonly name: 'operation';
  readonly part: readonly object[];
}

/** One operation with its type and path; `part` has what else it takes, such as `name` and `value`. */
export function patchOperation(type: string, path: string, ...part: object[]): Operation {
  return {
    name: 'operation',
    part: [{ name: 'type', valueCode: type }, { name: 'path', valueString: path }, ...part],
  };
}

/** The Parameters resource that a client sends. */
export function fhirPathPatch(...parameter: Operation[]) {
  return { resourceType: 'Parameters', parameter };
}
