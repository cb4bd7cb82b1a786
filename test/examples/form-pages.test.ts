// Every official Questionnaire example of R5 renders as pages (decision L8), each with one control for each question
// that is shown, in both languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeFormStep } from '#fhir/forms/html/form-steps.ts';
import { buildRenderReady } from '#fhir/forms/questionnaire/render-ready.ts';
import type { RenderReadyForm } from '#fhir/forms/render-ready-form.ts';
import { readExamples } from './official.ts';

const questionnaires = readExamples((name) => name.startsWith('Questionnaire-')).map(
  ({ text }): Readonly<Record<string, unknown>> => JSON.parse(text),
);

test(`all ${questionnaires.length} official questionnaires render, page by page and as a summary`, () => {
  assert.ok(questionnaires.length > 200, `${questionnaires.length} questionnaires`);
  for (const questionnaire of questionnaires) {
    const form: RenderReadyForm = JSON.parse(JSON.stringify(buildRenderReady(questionnaire, 'form')));
    for (const language of ['sv', 'en'] as const) {
      const shared = { form, kept: {}, sent: undefined, language, timeZone: 'Europe/Stockholm' };
      const first = takeFormStep({ ...shared, go: 'open', page: 0 });
      for (let page = 0; page < first.pages; page += 1) {
        const { content } = takeFormStep({ ...shared, go: `page:${page}`, page });
        assert.doesNotMatch(content.markup, /[>"](?:undefined|NaN)[<"]|\[object/, String(questionnaire['id']));
        const ids = [...content.markup.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
        assert.equal(new Set(ids).size, ids.length, `${String(questionnaire['id'])} has an id twice`);
      }
      assert.equal(takeFormStep({ ...shared, go: 'review', page: 0 }).shows, 'review');
    }
  }
});
