// Logs tell what happened and never to whom (operations page): checked over everything that the story's processes have
// written.
import assert from 'node:assert/strict';

/** What of the story's people and secrets must not stand in any log. */
const NEVER = [
  /Astrid/,
  /Berg\b/,
  /Karin/,
  /Lind\b/,
  /19900118/,
  /900118-?9811/,
  /@example\.org/i,
  /skogens/,
  /whsec_/,
  /eyJ[\w-]{20,}/,
  /Kroppsvikt/,
  /between-us/,
];

/** `secrets` are the tokens and keys that this run made. */
export function assertDiscreet(output: string, secrets: readonly string[]): void {
  const lines = output.split('\n');
  for (const pattern of NEVER) {
    assert.equal(
      lines.find((line) => pattern.test(line)),
      undefined,
      `a log line matches ${pattern}`,
    );
  }
  for (const [index, secret] of secrets.entries()) {
    assert.ok(secret.length > 20, `secret ${index} is no secret`);
    assert.equal(
      lines.find((line) => line.includes(secret)),
      undefined,
      'a log line holds a secret of the story',
    );
  }
  assert.ok(
    lines.some((line) => line.includes('"event":"request.completed"')),
    'requests are logged',
  );
}
