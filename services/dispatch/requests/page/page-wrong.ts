// What is wrong with what a form of the receipt page sent: a sentence, at its field and in the summary at the top.
import { errorSummary } from '#lib/html/form.ts';
import type { Language, Markup } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import type { InvalidText } from './page-model.ts';
import messages from './page-wrong.messages.json' with { type: 'json' };

/** Undefined where the field is not wrong. */
export function errorAt(
  field: InvalidText['field'],
  { language, wrong }: { readonly language: Language; readonly wrong?: InvalidText | undefined },
): string | undefined {
  return wrong?.field === field ? errorOf(wrong, language) : undefined;
}

/** Leads to the field; nothing when nothing is wrong. */
export function wrongSummary(language: Language, wrong: InvalidText | undefined): Markup | undefined {
  return wrong && errorSummary(language, { [wrong.field]: errorOf(wrong, language) });
}

function errorOf({ field, text }: InvalidText, language: Language): string {
  const isMissing = field === 'question' && text.trim() === '';
  return translator(messages, language)(isMissing ? 'questionMissing' : field);
}
