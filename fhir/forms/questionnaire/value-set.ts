// The codes of a ValueSet that its expansion or definition lists.
import { compact, objectIn, objectsIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';

/** All codes of the set if its expansion or definition lists them; undefined otherwise. */
export function codingsOf(valueSet: JsonObject): JsonObject[] | undefined {
  const expansion = objectIn(valueSet['expansion']);
  if (expansion?.['contains'] !== undefined) return flatten(objectsIn(expansion['contains']));
  const compose = objectIn(valueSet['compose']);
  const includes = objectsIn(compose?.['include']);
  const isWrittenOut =
    includes.length > 0 &&
    compose?.['exclude'] === undefined &&
    includes.every((include) => objectsIn(include['concept']).length > 0 && include['valueSet'] === undefined);
  if (!isWrittenOut) return undefined;
  return includes.flatMap((include) =>
    objectsIn(include['concept']).map(({ code, display }) =>
      compact({ system: include['system'], version: include['version'], code, display }),
    ),
  );
}

function flatten(contains: readonly JsonObject[]): JsonObject[] {
  return contains.flatMap((entry) => {
    const { system, version, code, display } = entry;
    const isChoice = code !== undefined && entry['abstract'] !== true && entry['inactive'] !== true;
    const own = isChoice ? [compact({ system, version, code, display })] : [];
    return [...own, ...flatten(objectsIn(entry['contains']))];
  });
}
