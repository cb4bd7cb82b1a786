// The check of redirect URIs that the pages and endpoints of sign-in use (decision I3, docs/adr/0054).

export interface Destinations {
  /**
   * The parsed `next`, if it is allowed. With a client it must equal one of that client's redirect URIs; otherwise it
   * must match the allow-list. Undefined for any other, and for an unknown or disabled client.
   */
  targetOf(next: string, clientId: string | undefined): URL | undefined;
  /** The display name of a client. */
  nameOf(clientId: string): string;
}
