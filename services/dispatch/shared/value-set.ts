// The codes of a ValueSet that its expansion or definition lists.
import { compact, type FhirObject, objectOf, objectsOf } from './json.ts';

/** All codes of the set if its expansion or definition lists them; undefined otherwise. */
export function codingsOf(valueSet: FhirObject): FhirObject[] | undefined {
  const expansion = objectOf(valueSet['expansion']);
  if (expansion?.['contains'] !== undefined) return flatten(objectsOf(expansion['contains']));
  const compose = objectOf(valueSet['compose']);
  const includes = objectsOf(compose?.['include']);
  const isWrittenOut =
    includes.length > 0 &&
    compose?.['exclude'] === undefined &&
    includes.every((include) => objectsOf(include['concept']).length > 0 && include['valueSet'] === undefined);
  if (!isWrittenOut) return undefined;
  return includes.flatMap((include) =>
    objectsOf(include['concept']).map(({ code, display }) =>
      compact({ system: include['system'], version: include['version'], code, display }),
    ),
  );
}

function flatten(contains: readonly FhirObject[]): FhirObject[] {
  return contains.flatMap((entry) => {
    const { system, version, code, display } = entry;
    const isChoice = code !== undefined && entry['abstract'] !== true && entry['inactive'] !== true;
    const own = isChoice ? [compact({ system, version, code, display })] : [];
    return [...own, ...flatten(objectsOf(entry['contains']))];
  });
}
