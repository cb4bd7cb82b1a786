// Logs name no person and hold no secret (operations page): checked over everything that the processes of an end-to-end
// test have written.
import assert from 'node:assert/strict';

/** What of the people and secrets of the workflow must not be in any log. */
const NEVER = [
  /Astrid/,
  /Berg\b/,
  /Karin/,
  /Lind\b/,
  /19900118/,
  /900118-?9811/,
  // Any personnummer of twelve digits; guids have groups of twelve digits behind a hyphen.
  /(?<![\da-f-])19\d{10}(?![\da-f])/,
  /Undansby/,
  /@example\.org/i,
  /skogens/,
  /whsec_/,
  /eyJ[\w-]{20,}/,
  /Kroppsvikt/,
  /between-us/,
];

/** Checks a log; `secrets` are the tokens and keys that this run made. */
export function assertNoSecrets(output: string, secrets: readonly string[]): void {
  assertNoneOf(output, secrets);
  assert.ok(output.includes('"event":"request.completed"'), 'requests are logged');
}

/** The same for any text that leaves the system. */
export function assertNoneOf(output: string, secrets: readonly string[]): void {
  const lines = output.split('\n');
  for (const pattern of NEVER) {
    assert.equal(
      lines.find((line) => pattern.test(line)),
      undefined,
      `a line matches ${pattern}`,
    );
  }
  for (const [index, secret] of secrets.entries()) {
    assert.ok(secret.length > 20, `secret ${index} is no secret`);
    assert.equal(
      lines.find((line) => line.includes(secret)),
      undefined,
      'a line holds a secret of the workflow',
    );
  }
}
