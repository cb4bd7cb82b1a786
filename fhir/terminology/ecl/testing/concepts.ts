// Small code systems in the shape of SNOMED CT for tests, as plain objects and as models.

import { type CodeSystemMeta, CodeSystemModel } from '../../model/code-system-model.ts';
import { MemoryColumns } from '../../model/columns/column-store.ts';
import { ConceptWriter } from '../../model/concept-writer.ts';
import { RefsetWriter } from '../../model/snomed/refset-writer.ts';
import { RelationWriter } from '../../model/snomed/relation-writer.ts';
import { allOf } from '../../model/steps.ts';
import { collectWords } from '../../model/word-columns.ts';

export interface TestDescription {
  readonly term: string;
  readonly language: string;
  /** The SCTID of the type. */
  readonly type: string;
  readonly moduleId: string;
  readonly effectiveTime: string;
  readonly dialects: readonly { readonly refset: string; readonly isPreferred: boolean }[];
}

export interface TestRelation {
  readonly type: string;
  readonly group: number;
  /** The index of a concept, or a concrete value. */
  readonly target: number | string;
}

export interface TestConcept {
  readonly code: string;
  readonly isActive: boolean;
  readonly isDefined: boolean;
  readonly moduleId: string;
  readonly effectiveTime: string;
  /** Indexes of concepts. */
  readonly parents: readonly number[];
  readonly relations: readonly TestRelation[];
  readonly descriptions: readonly TestDescription[];
}

export interface TestRefset {
  readonly code: string;
  readonly fields: readonly string[];
  readonly members: readonly {
    readonly concept: number;
    readonly moduleId: string;
    readonly effectiveTime: string;
    readonly values: readonly (number | string)[];
  }[];
}

export interface TestSystem {
  readonly concepts: readonly TestConcept[];
  readonly refsets: readonly TestRefset[];
}

const SNOMED_META: CodeSystemMeta = {
  url: 'http://snomed.info/sct',
  version: 'http://snomed.info/sct/11000000107/version/20260101',
  name: 'Test',
  title: undefined,
  status: 'active',
  standardsStatus: undefined,
  isExperimental: false,
  language: 'en',
  content: 'complete',
  isCaseSensitive: true,
  hierarchyMeaning: 'is-a',
  valueSet: undefined,
  supplements: undefined,
  properties: [],
};

export function modelOf({ concepts, refsets }: TestSystem): CodeSystemModel {
  const store = new MemoryColumns();
  const writer = new ConceptWriter(SNOMED_META, store);
  const [relations, members] = [new RelationWriter(store), new RefsetWriter(store)];
  for (const concept of concepts) {
    writer.add(inputOf(concept), -1);
    relations.add(concept.relations);
  }
  for (const [place, { parents }] of concepts.entries()) for (const parent of parents) writer.linkParent(place, parent);
  for (const refset of refsets)
    members.add(
      refset,
      refset.members.map(({ concept, ...member }) => ({ ...member, place: concept })),
    );
  const { head } = allOf(writer.finish());
  const relationTypes = allOf(relations.finish());
  const more = { relationTypes, ...members.finish() };
  const columns = { ...store.finish(), head: { ...head, ...more } };
  return new CodeSystemModel({ ...columns, ...collectWords(columns) });
}

function inputOf({ code, isActive, isDefined, moduleId, effectiveTime, descriptions }: TestConcept) {
  return {
    code,
    display: descriptions[0]?.term,
    designations: descriptions.map(({ term, language, type, ...description }) => ({
      value: term,
      language,
      use: { system: SNOMED_META.url, code: type },
      description,
    })),
    properties: [
      { code: 'inactive', kind: 'boolean' as const, value: String(!isActive) },
      { code: 'sufficientlyDefined', kind: 'boolean' as const, value: String(isDefined) },
      { code: 'moduleId', kind: 'code' as const, value: moduleId },
      { code: 'effectiveTime', kind: 'string' as const, value: effectiveTime },
    ],
  };
}
