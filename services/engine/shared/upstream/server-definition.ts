// The definition of an external server for calls: its URL, its authentication, and its time-out.

export type ServerKind = 'fhir' | 'terminology';

export type ServerAuth =
  | { readonly type: 'none' }
  | { readonly type: 'basic'; readonly username: string; readonly secret: string }
  | { readonly type: 'bearer'; readonly secret: string }
  | {
      readonly type: 'client_credentials';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly scope: string | undefined;
      readonly secret: string;
    };

export interface ServerDefinition {
  readonly name: string;
  /** The FHIR base URL, without a slash at its end. */
  readonly url: string;
  readonly kind: ServerKind;
  readonly auth: ServerAuth;
  readonly timeoutMs: number;
  /** Changes with every change of the definition, so that tokens and status of an earlier definition are not used. */
  readonly revision: string;
}
