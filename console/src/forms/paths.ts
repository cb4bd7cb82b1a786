// Where a question is on the page.

/** The id of the first control of the question at a path; two paths never have the same. */
export function fieldId(path: string): string {
  const id = path.replaceAll(/[^A-Za-z0-9/.-]/gu, (each) => `_${(each.codePointAt(0) ?? 0).toString(16)}_`);
  return `field${id}`;
}
