// What a Questionnaire says that no renderer follows (hl7.org/fhir/uv/sdc/expressions.html). It is a warning at the
// place, so that somebody who imports a form learns that it will not do all that its author meant.
import { objectsIn } from '#fhir/json/members.ts';
import { notGivenOf } from '../../forms/questionnaire/launch-context.ts';
import { notRunOf } from '../../forms/questionnaire/not-run.ts';
import { addWarning, type JsonObject, type ValidationContext } from '../context.ts';

/** Adds a warning for each expression that is not evaluated. */
export function checkForm(context: ValidationContext, questionnaire: JsonObject): void {
  checkElement(context, questionnaire, notGivenOf(questionnaire));
}

function checkElement(context: ValidationContext, element: JsonObject, notGiven: ReadonlySet<string>): void {
  for (const { use, language, missing } of notRunOf(element, notGiven) ?? []) {
    const named = language === undefined ? use : `${use} in ${language}`;
    const why = missing === undefined ? 'FHIRPath is' : `${missing} is not given; %patient and %user are, if declared`;
    addWarning(context, 'not-supported', `has an expression that is not evaluated (${named}): ${why}`);
  }
  for (const [index, item] of objectsIn(element['item']).entries()) {
    context.path.push('item', index);
    checkElement(context, item, notGiven);
    context.path.splice(-2);
  }
}
