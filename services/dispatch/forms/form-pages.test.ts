// A form's pages are sufficient (decision L8). Every generated questionnaire renders, and what a person types into its
// pages, without scripts, becomes a valid QuestionnaireResponse to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildRenderReady } from '#fhir/forms/questionnaire/render-ready.ts';
import type { RenderReadyForm } from '#fhir/forms/render-ready-form.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { everyItem, textMatching } from '../testing/form-filler.ts';
import { walkForm } from '../testing/page-walker.ts';
import { type Draw, makeQuestionnaire, QUESTION_TYPES } from '../testing/questionnaires.ts';
import { issuesOfResponse } from '../testing/response-checker.ts';

/** Nobody can answer what is within a hidden item. */
function withoutHidden<T>(element: T): T {
  return JSON.parse(JSON.stringify(element), (_, value) =>
    JSON.stringify(value?.extension ?? []).includes('questionnaire-hidden') && value.item !== undefined
      ? { ...value, item: undefined }
      : value,
  );
}

test('300 generated questionnaires: what is typed into their pages is a valid response to the questionnaire', () => {
  const seen = new Set<string>();
  const run = (gen: fc.GeneratorValue) => {
    const draw: Draw = (limit) => gen(fc.nat, { max: limit - 1 });
    const questionnaire = withoutHidden(makeQuestionnaire(draw));
    const form: RenderReadyForm = JSON.parse(JSON.stringify(buildRenderReady(questionnaire, 'form')));
    const matching = (pattern: string) => gen(textMatching, pattern);
    const view = walkForm(form, { draw, matching, language: draw(2) === 0 ? 'sv' : 'en' });
    const response = JSON.parse(
      JSON.stringify({
        resourceType: 'QuestionnaireResponse',
        questionnaire: form.url,
        status: 'completed',
        ...(view.items.length === 0 ? {} : { item: view.items }),
      }),
    );
    const broken = validateResource(response).filter(({ severity }) => severity === undefined || severity === 'error');
    assert.deepEqual(broken, []);
    assert.deepEqual(issuesOfResponse(questionnaire, response), []);
    if (view.pages > 1) seen.add('several pages');
    const text = JSON.stringify(response);
    for (const item of everyItem(form.items)) {
      const isAnswered = text.includes(`"linkId":"${item.link_id}"`);
      if (isAnswered) seen.add(`answered ${item.type}`);
      if (item.conditions !== undefined) seen.add(isAnswered ? 'shown' : 'not shown');
      if (isAnswered && item.repeats) seen.add(`repeats ${item.type}`);
    }
  };
  fc.assert(fc.property(fc.gen(), run), { numRuns: 300, endOnFailure: true, seed: 20_261_126 });
  const wanted = [
    ...QUESTION_TYPES.map((type) => `answered ${type}`),
    ...['answered group', 'several pages', 'shown', 'not shown', 'repeats group', 'repeats string', 'repeats coding'],
  ];
  assert.deepEqual(
    wanted.filter((each) => !seen.has(each)),
    [],
  );
});
