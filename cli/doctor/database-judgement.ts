// What `kedja doctor` says of figures of the database server.
import { type Finding, fail, fine, warn } from './findings.ts';

const OLDEST_SERVER = 150_000;
/** From here on nodes log that their clock differs. */
const NOTICED_MS = 1_000;
/** Keys, tokens and feeds bear a difference of a minute (docs/operations/keys.md, "Clocks"). */
const BORNE_MS = 60_000;

export function versionFinding({ version, shown }: { version: number; shown: string }): Finding {
  if (version >= OLDEST_SERVER) return fine('database.version', `PostgreSQL ${shown} answers`);
  return fail('database.version', `The server is PostgreSQL ${shown}`, 'Upgrade it to PostgreSQL 15 or later');
}

export function encodingFinding(encoding: string): Finding {
  if (encoding === 'UTF8') return fine('database.encoding', 'The database is encoded in UTF8');
  const advice = "Make one with ENCODING 'UTF8' TEMPLATE template0, and move the data there";
  return fail('database.encoding', `The database is encoded in ${encoding}`, advice);
}

export interface ServerState {
  readonly standby: boolean;
  readonly superuser: boolean;
  /** Those that a role which is no superuser may have. */
  readonly connections: number;
  /** What the services of this configuration may open; 0 behind a pooler. */
  readonly needed: number;
  /** Settings that are off and protect committed data. */
  readonly unsafe: readonly string[];
}

/** Only what is wrong. */
export function serverFindings({ standby, superuser, connections, needed, unsafe }: ServerState): Finding[] {
  const findings: Finding[] = [];
  if (standby) {
    const advice = 'Let KEDJA_DATABASE_URL lead to the primary';
    findings.push(fail('database.standby', 'The server is a standby, which takes no writes', advice));
  }
  if (superuser) {
    const advice = 'Give Kedja a role that owns its database and nothing else';
    findings.push(warn('database.superuser', 'The role of Kedja is a superuser', advice));
  }
  if (needed > connections) {
    const message = `The services of this configuration may open ${needed} connections, and the server takes ${connections}`;
    findings.push(warn('database.connections', message, 'Raise max_connections, or put PgBouncer in between'));
  }
  if (unsafe.length > 0) {
    const message = `${unsafe.join(' and ')} is off, so that a crash may lose committed data`;
    findings.push(warn('database.unsafe', message, 'Turn it on'));
  }
  return findings;
}

/** @param aheadMs milliseconds by which this machine is ahead of the database; negative when it is behind */
export function clockFinding(aheadMs: number): Finding {
  const size = Math.abs(aheadMs);
  const message = `The clock of this machine is ${(size / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database`;
  const advice = 'Run NTP on both machines';
  if (size >= BORNE_MS) return fail('database.clock', message, advice);
  if (size >= NOTICED_MS) return warn('database.clock', message, advice);
  return fine('database.clock', 'The clocks of this machine and of the database agree');
}
