// The second factor of a user (docs/adr/0010): its secret, its codes and recovery codes, each of which counts once,
// settled by the database. The services decide who may change it and how it is used to sign in.
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { AuditEntry } from '../audit/audit-event.ts';
import { MINUTE_MS } from '../clock.ts';
import type { FieldCipher } from '../crypto/field-cipher.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import { newRecoveryCodes, parseCode } from './code-text.ts';
import * as store from './store.ts';
import { newSecret, otpauthUri, stepOfCode } from './totp.ts';

/** How long a set-up waits for its first code. */
const SETUP_MS = 15 * MINUTE_MS;

export interface Setup {
  /** Base32. */
  readonly secret: string;
  readonly otpauthUri: string;
  /** Until then it waits for its first code. */
  readonly expiresAt: Date;
}

export interface CodeAttempt {
  readonly userGuid: string;
  readonly code: string;
  /** Where the request came from, for the audit record. */
  readonly origin: { readonly address: string; readonly requestId: string };
}

export interface FinishedSetup {
  /** All that there are now. Earlier ones are no longer valid. */
  readonly recoveryCodes: readonly string[];
  /** Whether another secret was in force until now. */
  readonly hasReplaced: boolean;
}

export type SetupResult =
  | ({ readonly kind: 'finished' } & FinishedSetup)
  | { readonly kind: 'wrong_code' }
  | { readonly kind: 'no_setup' };

export interface SecondFactors {
  /** Undefined when the user has none. */
  read(db: Queryable, userGuid: string): Promise<{ since: Date; recoveryCodesLeft: number } | undefined>;
  /**
   * Whether the code, of the app or for recovery, is right. The transaction marks it as used, and audits the use of a
   * recovery code.
   */
  useCode(tx: Transaction, attempt: CodeAttempt): Promise<boolean>;
  /** Creates a pending secret, which its first code confirms. It replaces an earlier pending one. */
  begin(db: Queryable, user: { userGuid: string; email: string }): Promise<Setup>;
  /** The pending secret, to show it once more; undefined without one. */
  readSetup(db: Queryable, user: { userGuid: string; email: string }): Promise<Setup | undefined>;
  /** Activates the pending secret when the code is right. A secret that is in force is valid until then. */
  finish(tx: Transaction, userGuid: string, code: string): Promise<SetupResult>;
  renewRecoveryCodes(tx: Transaction, userGuid: string): Promise<readonly string[]>;
  /** False when there was none. */
  remove(tx: Transaction, userGuid: string): Promise<boolean>;
  sweep(): Promise<void>;
}

export interface SecondFactorDeps extends WriteDependencies {
  readonly cipher: FieldCipher;
  /** The table of the users, with the columns of the second factor. */
  readonly users: store.UserTable;
  /** A user as audit records of the service name it. */
  readonly subjectOf: (userGuid: string) => Pick<AuditEntry, 'subjectGuid' | 'entities'>;
}

/** Makes the second factors of a service's users. */
export function createSecondFactors(deps: SecondFactorDeps): SecondFactors {
  const { database, clock, audit, cipher, users, subjectOf } = deps;
  const now = () => new Date(clock.now());
  const indexOf = (userGuid: string, letters: string) => cipher.index(`${userGuid} ${letters}`);

  async function useRecoveryCode(tx: Transaction, letters: string, { userGuid, origin }: CodeAttempt) {
    if (!(await store.takeRecoveryCode(tx, userGuid, indexOf(userGuid, letters)))) return false;
    const used = { action: 'D', event: 'second-factor.use-recovery-code', principal: undefined } as const;
    await audit.record(tx, { ...used, ...subjectOf(userGuid), ...origin });
    return true;
  }

  async function useCode(tx: Transaction, attempt: CodeAttempt): Promise<boolean> {
    const { userGuid } = attempt;
    const code = parseCode(attempt.code);
    if (code === undefined) return false;
    if (code.kind === 'recovery') return useRecoveryCode(tx, code.letters, attempt);
    for (let before: string | undefined; ; ) {
      const sealed = (await store.readFactor(tx, users, userGuid))?.sealed ?? null;
      if (sealed === null) return false;
      const step = stepOfCode(code.digits, cipher.open(sealed, userGuid), clock.now());
      if (step === undefined) return false;
      if (await store.takeStep(tx, users, { userGuid, sealed, step })) return true;
      // The code was used, the secret replaced, or the same secret resealed meanwhile (docs/adr/0048): then read
      // the row again.
      const bytes = sealed.toString('latin1');
      if (bytes === before) return false;
      before = bytes;
    }
  }

  async function renewRecoveryCodes(tx: Transaction, userGuid: string): Promise<readonly string[]> {
    const codes = newRecoveryCodes();
    const indexes = codes.map((code) => indexOf(userGuid, code.replaceAll('-', '')));
    await store.replaceRecoveryCodes(tx, userGuid, indexes);
    return codes;
  }

  async function finish(tx: Transaction, userGuid: string, text: string): Promise<SetupResult> {
    const user = await store.lockUser(tx, users, userGuid);
    const sealed = user && (await store.lockSetup(tx, userGuid, now()));
    if (user === null || sealed === null) return { kind: 'no_setup' };
    const code = parseCode(text);
    const digits = code?.kind === 'totp' ? code.digits : '';
    const step = stepOfCode(digits, cipher.open(sealed, userGuid), clock.now());
    if (step === undefined) return { kind: 'wrong_code' };
    if (!(await store.takeSetup(tx, userGuid, sealed))) return { kind: 'no_setup' };
    await store.saveFactor(tx, users, { userGuid, sealed, step, since: now() });
    const recoveryCodes = await renewRecoveryCodes(tx, userGuid);
    return { kind: 'finished', recoveryCodes, hasReplaced: user.hasFactor };
  }

  return {
    async read(db, userGuid) {
      const factor = await store.readFactor(db, users, userGuid);
      if (factor === null || factor.since === null) return undefined;
      return { since: factor.since, recoveryCodesLeft: factor.recoveryCodesLeft };
    },
    useCode,
    async begin(db, { userGuid, email }) {
      const secret = newSecret();
      const expiresAt = new Date(clock.now() + SETUP_MS);
      await store.saveSetup(db, { userGuid, sealed: cipher.seal(secret, userGuid), expiresAt });
      return { secret, otpauthUri: otpauthUri(secret, email), expiresAt };
    },
    async readSetup(db, { userGuid, email }) {
      const setup = await store.readSetup(db, userGuid, now());
      if (setup === undefined) return undefined;
      const secret = cipher.open(setup.sealed, userGuid);
      return { secret, otpauthUri: otpauthUri(secret, email), expiresAt: setup.expiresAt };
    },
    finish,
    renewRecoveryCodes,
    remove: (tx, userGuid) => store.deleteFactor(tx, users, userGuid),
    sweep: () => store.sweep(database, now()),
  };
}
