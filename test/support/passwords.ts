// Hashes of passwords for tests: with parameters that cost nothing, where those of production take tens of
// milliseconds for each sign-in. A test of the parameters themselves takes the hasher of production.
import { ARGON2_PARAMETERS, createPasswordHasher, type PasswordHasher } from '#lib/auth/password-hasher.ts';

export function cheapPasswords(): PasswordHasher {
  return createPasswordHasher({ parameters: { ...ARGON2_PARAMETERS, memoryCost: 64, timeCost: 1 } });
}
