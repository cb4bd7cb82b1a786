// What the demo's receiver stores between starts, in a file that only its owner can read. It is the webhook secret, the
// API key for dispatch and the port.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

export const CREDENTIAL_FILE = 'demo-receiver.json';

const Credentials = Type.Object({
  /** The provider of these credentials; another database has another one. */
  providerGuid: Type.String(),
  secret: Type.String(),
  apiKey: Type.String(),
  /** The last port, so that the address stays the same. */
  port: Type.Integer(),
});
export type ReceiverCredentials = Static<typeof Credentials>;

export interface CredentialFile {
  credentials(): ReceiverCredentials | undefined;
  keep(credentials: ReceiverCredentials): Promise<void>;
}

export async function openCredentialFile(dataDir: string): Promise<CredentialFile> {
  const file = path.join(dataDir, CREDENTIAL_FILE);
  let known = await readCredentials(file);
  return {
    credentials: () => known,
    async keep(credentials) {
      await mkdir(dataDir, { recursive: true, mode: 0o700 });
      const draft = `${file}.new`;
      await writeFile(draft, JSON.stringify(credentials), { mode: 0o600 });
      await chmod(draft, 0o600);
      await rename(draft, file);
      known = credentials;
    },
  };
}

/** A missing or damaged file counts as none; new credentials are then created. */
async function readCredentials(file: string): Promise<ReceiverCredentials | undefined> {
  try {
    const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Value.Check(Credentials, parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
