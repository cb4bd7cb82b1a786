// The address that starts a batch: of `batch.ts`, with the test files in its query.

/** What the runner is given for a process of these files, relative to the root: `scripts/batches/batch.ts?…`. */
export function addressOfBatch(files: readonly string[]): string {
  return `scripts/batches/batch.ts?${files.map(encodeURI).join('&')}`;
}

/** The files that an address of `batch.ts` names. */
export function filesOf(address: string): string[] {
  const [, query = ''] = address.split('?');
  return query.split('&').map(decodeURI);
}
