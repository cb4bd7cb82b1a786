// A valid resource of each type of R5.
import { hasErrors, validateResource } from '#fhir/validation/validate.ts';
import { readExamples } from '#test/examples/official.ts';

const patient = { reference: 'Patient/a' };
const location = { reference: 'Location/a' };
/** Resources of the types that have no valid example. */
const OWN_BODIES = [
  { resourceType: 'AdverseEvent', id: 'a', status: 'completed', actuality: 'actual', subject: patient },
  {
    resourceType: 'ResearchSubject',
    id: 'a',
    status: 'active',
    study: { reference: 'ResearchStudy/a' },
    subject: patient,
  },
  // Others are not carried out here.
  {
    resourceType: 'Subscription',
    id: 'a',
    status: 'off',
    topic: 'https://example.org/topic',
    channelType: { system: 'http://terminology.hl7.org/CodeSystem/subscription-channel-type', code: 'rest-hook' },
  },
  { resourceType: 'Transport', id: 'a', intent: 'order', requestedLocation: location, currentLocation: location },
];

/** By type: the first official example that the engine accepts, as text. */
export function validResources(): Map<string, string> {
  const bodies = new Map(OWN_BODIES.map((body): [string, string] => [body.resourceType, JSON.stringify(body)]));
  for (const { type, text } of readExamples(
    (name) => !/^(?:StructureDefinition|ValueSet|CodeSystem|Questionnaire-qgen)-[b-z]/.test(name),
  ))
    if (!bodies.has(type) && text.length < 100_000 && !hasErrors(validateResource(JSON.parse(text))))
      bodies.set(type, text);
  return bodies;
}
