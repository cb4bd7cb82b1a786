// Reads the form of a page of answers (decision L8).
import { ROOT } from '#fhir/forms/html/fields.ts';
import { MEASURES } from '#fhir/plans/measures.ts';
import { isGuid } from '#lib/guid.ts';
import type { FormPost } from '#lib/html/form-post.ts';
import type { FormVisit } from './answer-service.ts';

/** Undefined for a post that names no form. */
export function formVisitIn(
  post: FormPost,
  reader: Pick<FormVisit, 'holder' | 'language' | 'timeZone'>,
): FormVisit | undefined {
  const formKey = post.text('form');
  if (formKey !== MEASURES && !isGuid(formKey)) return undefined;
  const isReview = post.text('shows') === 'review';
  const draftGuid = post.text('draft');
  // The language of the page is changed by a button without a destination: the same is shown again.
  const go = post.optional('go') ?? (isReview ? 'review' : 'refresh');
  // A summary has no fields, and a form that is opened has sent none.
  const isFilled = !isReview && draftGuid !== '';
  return {
    ...reader,
    formKey,
    go,
    page: wholeIn(post.text('page')),
    sent: isFilled ? JSON.stringify(post.startingWith(`${ROOT}-`)) : undefined,
    draftGuid: isGuid(draftGuid) ? draftGuid : undefined,
    version: wholeIn(post.text('version')),
    isConfirmed: post.text('confirm') === 'yes',
    isFinal: post.text('final') === 'yes',
    mayDiscard: post.text('discard') === 'yes',
  };
}

function wholeIn(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
