// The types of an end-to-end test: where the services are, the first administrator, and a provider's own system.
import type { Receiver } from '#test/support/dispatch/receiver.ts';
import type { MailServer } from '#test/support/mail.ts';
import type { CommandOutcome } from '#test/support/system/processes.ts';
import type { Walk } from './rows.ts';

export interface Addresses {
  /** The public origin. */
  readonly gateway: string;
  readonly identity: string;
  /** With the path prefix `/api/v1`. */
  readonly engine: string;
  readonly dispatch: string;
  readonly admin: { readonly email: string; readonly password: string };
  readonly receiver: Receiver;
}

/** The people who appear, signed in. */
export interface Accounts {
  readonly admin: string;
  /** A doctor of the planning organisation. */
  readonly planner: string;
  /** A nurse of another organisation. */
  readonly stranger: string;
  readonly patient: string;
  /** Of the record that staff made, which is linked to the patient. */
  readonly patientGuid: string;
  readonly organisationGuid: string;
}

/** What was prepared in the engine. */
export interface Library {
  readonly planUrl: string;
  readonly planVersion: string;
  readonly formGuid: string;
  readonly concept: { readonly system: string; readonly code: string };
  /** A provider that works in the engine's inbox. */
  readonly hosted: string;
  /** A provider with its own system, and the key by which it calls dispatch. */
  readonly outside: string;
  readonly outsideKey: string;
}

export interface Scenario {
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly library: Library;
}

/** What the modules of people's rows have beside the scenario. */
export interface Story extends Scenario {
  /** Walks a row of docs/reference/everyone.md. */
  readonly walk: Walk;
  /** The region's mail server. */
  readonly mail: MailServer;
  /** The outside provider's system answers 503 to a webhook whose body contains one of these texts. */
  readonly refused: Set<string>;
  /** Tokens, keys and links that the story makes, which no log may hold. */
  readonly secrets: Set<string>;
  /** Runs `kedja <arguments>` on the machine of the services, with their configuration. */
  readonly kedja: (...args: string[]) => Promise<CommandOutcome>;
}
