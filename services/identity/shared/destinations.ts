// Where a sign-in may lead (decision I3, docs/adr/0054), as the pages and addresses of signing in ask it.

export interface Destinations {
  /**
   * The parsed `next`: of a sign-in that names a client one of that client's addresses, to the letter; of any other
   * what the allow-list holds. Undefined for what is neither, and for a client that is unknown or disabled.
   */
  targetOf(next: string, clientId: string | undefined): URL | undefined;
}
