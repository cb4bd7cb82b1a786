// Reads a submitted resource element by element (decision I15). An element that no reader takes cannot be stored by the
// directory; it is refused by name instead of being lost.

import { hasErrors, validateResource } from '#fhir/validation/validate.ts';
import { type Issue, messageOf, ServiceError } from '#lib/errors.ts';
import type { DirectoryType } from './served.ts';

type Json = Readonly<Record<string, unknown>>;

/** An element with its path, such as `telecom[0]`. */
export interface Item {
  readonly path: string;
  readonly value: unknown;
}

export interface Submission {
  /** The value of an element that the directory will store; undefined when it is missing. */
  take(path: string): unknown;
  /** The value if it is a string. */
  takeText(path: string): string | undefined;
  /** The elements of a list, none of them taken yet. */
  items(path: string): Item[];
  /** Takes the element if it has the value that the directory holds for everyone anyway, and refuses it otherwise. */
  expect(path: string, value: unknown, message: string): void;
  issue(path: string, message: string, issueCode?: string): void;
  /**
   * @throws ServiceError `unprocessable` with the validation errors, the added issues, and an issue for each element
   * that no reader took
   */
  check(): void;
}

export function readSubmission(resource: Json, type: DirectoryType): Submission {
  const taken = new Set<string>();
  const touched = new Set<string>();
  const issues: Issue[] = validateResource(resource, { resourceType: type });
  const expression = (path: string) => (path === '' ? type : `${type}.${path}`);
  const submission: Submission = {
    take(path) {
      taken.add(path);
      for (const outer of outerPaths(path)) touched.add(outer);
      return valueAt(resource, path);
    },
    takeText(path) {
      const value = submission.take(path);
      return typeof value === 'string' ? value : undefined;
    },
    items(path) {
      const value = valueAt(resource, path);
      return Array.isArray(value)
        ? value.map((item: unknown, index) => ({ path: `${path}[${index}]`, value: item }))
        : [];
    },
    expect(path, value, message) {
      const given = submission.take(path);
      if (given !== undefined && given !== value) submission.issue(path, message, 'not-supported');
    },
    issue(path, message, issueCode = 'value') {
      issues.push({ message: `${expression(path)}: ${message}`, field: expression(path), code: issueCode });
    },
    check() {
      const lost = unkeptPaths(resource, { taken, touched }).filter((path) => !REMARKS.test(path));
      const unkept = lost.map((path) => ({
        message: `${expression(path)}: cannot be kept here`,
        field: expression(path),
        code: 'not-supported',
      }));
      const all = [...issues, ...unkept];
      if (hasErrors(all)) throw new ServiceError('unprocessable', messageOf(all), { issues: all });
    },
  };
  takeServerOwned(submission);
  return submission;
}

/** Metadata of elements that the directory stores or generates itself: nothing is lost without them. */
const REMARKS = /^(?:language|meta\.(?:profile|source)(?:\[\d+\])?|telecom\[\d+\]\.(?:use|rank)|.*\.display)$/;

/** Takes what the server sets itself (hl7.org/fhir/R5/http.html#create), and a generated narrative. */
function takeServerOwned(submission: Submission): void {
  for (const path of ['resourceType', 'id', 'meta.versionId', 'meta.lastUpdated']) submission.take(path);
  if (submission.take('text.status') === 'generated') submission.take('text.div');
  submission.expect('active', true, 'What is created is active');
}

interface Places {
  readonly taken: ReadonlySet<string>;
  /** The ancestors of taken elements. */
  readonly touched: ReadonlySet<string>;
}

/** The paths of the elements that were not taken, each as high up as nothing below it was taken. */
function unkeptPaths(value: unknown, places: Places, path = ''): string[] {
  if (places.taken.has(path)) return [];
  const isTouched = path === '' || places.touched.has(path);
  if (!isTouched || typeof value !== 'object' || value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => unkeptPaths(item, places, `${path}[${index}]`));
  return Object.entries(value).flatMap(([name, child]) =>
    unkeptPaths(child, places, path === '' ? name : `${path}.${name}`),
  );
}

/** The ancestors of a path: `name[0].family` is in `name[0]`, which is in `name`. */
function outerPaths(path: string): string[] {
  return [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));
}

function valueAt(resource: Json, path: string): unknown {
  let value: unknown = resource;
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
