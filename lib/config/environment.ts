// The source of configuration variables: the process's environment and a `.env` file. The process's environment takes
// precedence.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { hasErrorCode } from '../error-code.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with the KEDJA_* variables of a `.env` file beneath it; a file that does not exist counts as empty.
 * @throws Error when the file exists and cannot be read.
 */
export function withEnvFile(environment: Environment, path: string): Environment {
  const content = readIfPresent(path);
  if (content === undefined) return environment;
  const ours = Object.entries(parseEnv(content)).filter(([name]) => name.startsWith('KEDJA_'));
  return { ...Object.fromEntries(ours), ...environment };
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
