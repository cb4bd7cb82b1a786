// What is known of an external server when it is called: where it is, how it is signed in to, how long a call may take.

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
  /** The FHIR base, without a slash at its end. */
  readonly url: string;
  readonly kind: ServerKind;
  readonly auth: ServerAuth;
  readonly timeoutMs: number;
  /** Changes whenever the definition does: what is known of the server before tells nothing of it afterwards. */
  readonly revision: string;
}
