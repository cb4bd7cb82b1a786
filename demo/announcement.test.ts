import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announcement, progressLine } from './announcement.ts';
import { demoReport } from './report.ts';

const origins = { gateway: 'http://localhost:8080', identity: 'http://localhost:8081' };
const report = demoReport({ email: 'admin@kedja.example', password: 'made-up-at-start' }, { patients: 40 });

test('progress is a line of constant width', () => {
  const lines = [
    progressLine(0, 160, 'patients'),
    progressLine(80, 160, 'professionals'),
    progressLine(160, 160, 'requests'),
  ];
  assert.equal(new Set(lines.map((line) => line.length)).size, 1);
  assert.match(lines[1] ?? '', /^█{12}░{12} {2}80\/160 professionals/);
});

for (const language of ['sv', 'en'] as const) {
  test(`the announcement holds every address, account and suggestion (${language})`, () => {
    const lines = announcement(report, origins, language).split('\n');
    for (const origin of Object.values(origins)) assert.ok(lines.some((line) => line.includes(origin)));
    for (const { role, name, email, password, href } of report.accounts) {
      const line = lines.find((candidate) => candidate.includes(email)) ?? '';
      assert.equal(lines[lines.indexOf(line) + 1]?.trim(), `http://localhost:8080${href}`, 'the link below');
      for (const word of [role[language], name, password]) assert.ok(line.includes(word), word);
    }
    for (const { title, href } of report.suggestions) {
      assert.ok(lines.some((line) => line.includes(title[language])));
      assert.ok(lines.some((line) => line.trim() === `http://localhost:8080${href}`));
    }
    for (const line of lines) assert.ok(line.length <= 140, `too wide: ${line}`);
  });
}
