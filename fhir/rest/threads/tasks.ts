// The message types between the main thread and the worker threads: tasks, results, and questions of a thread
// (docs/adr/0042).

import type { MemberSpan } from '#fhir/json/json-scanner.ts';
import type { ElementJson, Structure } from '#fhir/profiles/snapshot/structure.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import type { OverlayContent } from '#fhir/search/parameters/overlay.ts';
import type { AccessFilter, VisibleVersion } from '#fhir/store/access.ts';
import type { IndexTexts } from '#fhir/store/index/index-tables.ts';
import type { IndexedBy } from '#fhir/store/threads.ts';
import type { CodeSelection } from '#fhir/terminology/code-selection.ts';
import type { Issue } from '#lib/errors.ts';
import type { ConditionalReference, EntryAddress } from '../links.ts';
import type { SubsetRequest } from '../subset.ts';
import type { Body } from './body.ts';

/**
 * Version numbers of what a thread caches of the main thread's definitions. When a number has changed, the thread asks
 * again.
 */
export interface Generations {
  readonly profiles: number;
  readonly valueSets: number;
  readonly parameters: number;
}

/** A JSON Patch, a FHIRPath Patch as Parameters, or labels as {@link changing} takes them. */
export type PatchKind = 'json' | 'fhirpath' | 'labels';

export type Task =
  /** Gives a {@link ReadResource}. */
  | { readonly kind: 'read'; readonly body: Body }
  /**
   * Gives type, total and next page of the bundle as a {@link ReadResource} without members, after its entries as
   * pieces.
   */
  | { readonly kind: 'bundle'; readonly body: Body }
  /** Gives a {@link Checked}. */
  | {
      readonly kind: 'check';
      readonly text: string;
      readonly follows: readonly string[];
      readonly expressionMs: number;
    }
  /** Gives {@link IndexedResource}. */
  | { readonly kind: 'index'; readonly text: string; readonly id: string }
  /** Gives {@link IndexedResource}; in the background. */
  | { readonly kind: 'indexAgain'; readonly text: string; readonly by: IndexedBy }
  /** Gives true or false. */
  | { readonly kind: 'visible'; readonly filter: AccessFilter; readonly version: VisibleVersion }
  /** Gives ids. */
  | { readonly kind: 'patients'; readonly text: string }
  /** Gives a {@link ResourceWords}. */
  | { readonly kind: 'words'; readonly text: string }
  /** Gives the text of a part. */
  | { readonly kind: 'subset'; readonly text: string; readonly subset: SubsetRequest }
  /** Gives a list of {@link ReferenceTarget} in pieces. */
  | { readonly kind: 'targets'; readonly text: string }
  /** Gives conditional references. */
  | { readonly kind: 'references'; readonly text: string }
  /** Gives a {@link Relinked} resource; undefined in its place when nothing changes. */
  | { readonly kind: 'relink'; readonly text: string; readonly links: Links }
  /** Gives what the service's own function gives. */
  | { readonly kind: 'own'; readonly work: unknown }
  /** Gives a {@link ReadResource}; undefined when nothing changes. */
  | { readonly kind: 'patch'; readonly content: string; readonly patch: string; readonly how: PatchKind }
  /** Gives a {@link SnapshotMade}. */
  | { readonly kind: 'snapshot'; readonly body: Body; readonly expressionMs: number }
  /** Gives a {@link Validated}. */
  | { readonly kind: 'validate'; readonly body: Body; readonly wanted: ValidateQuery };

export type SentTask = Task & { readonly generations: Generations };

export interface ReadResource {
  readonly text: string;
  readonly resourceType: string;
  readonly members: readonly MemberSpan[];
}

/** An entry of a bundle without its resource, and the resource by itself. */
export interface ReadEntry {
  /** The entry as parsed; null when it is no object. */
  readonly entry: unknown;
  /** `issue`: why it is no resource. */
  readonly resource: ReadResource | { readonly issue: string } | undefined;
}

export interface Checked {
  readonly issues: readonly Issue[];
  /** Milliseconds that users' expressions took. */
  readonly expressionMs: number;
}

export interface IndexedResource extends Pick<SearchValues, 'patients' | 'extraction' | 'baseUrl' | 'sortLanguage'> {
  readonly texts: IndexTexts;
}

/** The arguments of {@link relinkFor}. */
export interface Links {
  readonly fullUrl: string | undefined;
  readonly addresses: ReadonlyMap<string, EntryAddress>;
  readonly conditional: ReadonlyMap<string, string>;
}

export interface ValidateQuery {
  /** The query of the request. */
  readonly query: string;
  /** The addresses of conditional references; undefined before they have been looked up. */
  readonly conditional: ReadonlyMap<string, string> | undefined;
  readonly expressionMs: number;
}

export type Validated =
  /** The conditional references that must be looked up first. */
  | { readonly kind: 'references'; readonly references: readonly ConditionalReference[] }
  | {
      readonly kind: 'validated';
      readonly mode: string | undefined;
      /** Undefined when the body has no resource. */
      readonly resource: { readonly resourceType: unknown; readonly id: unknown } | undefined;
      readonly checked: Checked;
    };

export type Question =
  | { readonly kind: 'profileUrls' }
  | { readonly kind: 'profile'; readonly canonical: string }
  /** A page of a profile's elements, from this place on; empty behind the last. */
  | { readonly kind: 'elements'; readonly canonical: string; readonly view: View; readonly from: number }
  /** `waitMs`: milliseconds for which the thread waits while the value set is being computed. */
  | { readonly kind: 'valueSet'; readonly canonical: string; readonly waitMs: number }
  | { readonly kind: 'code'; readonly system: string; readonly code: string }
  | { readonly kind: 'parameters' };

export type View = 'snapshot' | 'differential';

/** The answers by the kind of the question. */
export interface Answers {
  readonly profileUrls: readonly string[];
  /** `snapshot` and `differential` are empty lists, where the profile has them. */
  readonly profile: Structure | undefined;
  readonly elements: readonly ElementJson[];
  readonly valueSet: CodeSelection | string | undefined;
  readonly code: boolean;
  readonly parameters: OverlayContent;
}

/** The start options of a service's threads. */
export interface ThreadOptions {
  readonly baseUrl: string;
  readonly sortLanguage: string | undefined;
  /** Whether there are no users' definitions, only R5's own. */
  readonly isPlain: boolean;
}
