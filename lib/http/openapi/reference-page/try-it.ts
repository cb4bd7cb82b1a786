// The script of an operation's page, as text: the page sends it with its hash in the policy.
import { readFileSync } from 'node:fs';

export const TRY_IT = readFileSync(new URL('./try-it.js', import.meta.url), 'utf8');
